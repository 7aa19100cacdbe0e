package diff

import (
	"bytes"
	"encoding/json"
	"strings"

	"wiretea/session/jsonrpc"
)

// A peer is what one side says of itself, the latest of it.
type peer struct {
	name, version, title string
	known                bool
	capabilities         json.RawMessage // capabilities is nil where none were sent.
}

// label is its name and version, empty where it has said neither.
func (p *peer) label() string { return strings.TrimSpace(p.name + " " + p.version) }

type peers struct {
	client, server peer
	instructions   string
	supported      []string // supported are the versions that a modern server lists.
}

// Names of members in metadata.
const (
	metaPrefix        = "io.modelcontextprotocol/"
	metaClientInfo    = metaPrefix + "clientInfo"
	metaClientAbility = metaPrefix + "clientCapabilities"
	metaServerInfo    = metaPrefix + "serverInfo"
)

// clientSays takes what a request says of the client: initialize does, and in the
// modern era each request.
func (p *peers) clientSays(method string, m *jsonrpc.Message, whole []byte) {
	if !negotiates(method) && (p.client.known || !m.Field(jsonrpc.MetaClientInfo).Present()) {
		return
	}
	params := members(at(whole, m.Params))
	meta := members(params["_meta"])
	if !p.client.info(params["clientInfo"]) {
		p.client.info(meta[metaClientInfo])
	}
	p.client.able(params["capabilities"])
	p.client.able(meta[metaClientAbility])
}

// serverSays takes what a result says of the server.
func (p *peers) serverSays(method string, m *jsonrpc.Message, whole []byte) {
	if m.Kind != jsonrpc.Result || !negotiates(method) && (p.server.known || !m.Field(jsonrpc.ResultMetaServerInfo).Present()) {
		return
	}
	res := members(at(whole, m.Result))
	meta := members(res["_meta"])
	if !p.server.info(res["serverInfo"]) {
		p.server.info(meta[metaServerInfo])
	}
	if !negotiates(method) {
		return
	}
	p.server.able(res["capabilities"])
	if t := text(res["instructions"]); t != "" {
		p.instructions = t
	}
	var list []string
	if json.Unmarshal(res["supportedVersions"], &list) == nil {
		p.supported = list
	}
}

// info takes a name with its version. It reports false where there is none.
func (p *peer) info(raw json.RawMessage) bool {
	m := members(raw)
	if m == nil {
		return false
	}
	p.name, p.version, p.title, p.known = text(m["name"]), text(m["version"]), text(m["title"]), true
	return true
}

func (p *peer) able(raw json.RawMessage) {
	if members(raw) != nil {
		p.capabilities = bytes.Clone(raw)
	}
}

// members returns the members of an object, nil for any other value. Of members
// with the same name the last one counts.
func members(raw []byte) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	return m
}

// text returns the text of a string, empty for any other value.
func text(raw []byte) string {
	var t string
	if json.Unmarshal(raw, &t) != nil {
		return ""
	}
	return t
}
