package peers

import (
	"encoding/json"

	"wiretea/recorder"
	"wiretea/session"
)

// A Peer is what one side says of itself.
type Peer struct {
	Name, Version, Title string

	// Capabilities is the object as it was sent, nil where none was.
	Capabilities json.RawMessage

	Row uint32 // Row is where that was said, session.NoRow where it was not.
}

// A Handshake is what both sides said on a connection, the latest of it.
type Handshake struct {
	Client, Server Peer
	Instructions   string   // Instructions are the server's to the model.
	Versions       []string // Versions are those that the server's discover answer lists.
}

// Names of members in metadata.
const (
	prefix             = "io.modelcontextprotocol/"
	clientInfo         = prefix + "clientInfo"
	clientCapabilities = prefix + "clientCapabilities"
	serverInfo         = prefix + "serverInfo"
)

// Wanted reports whether a row may hold a part of a handshake.
func Wanted(s *session.Snapshot, r session.Row) bool {
	if r.Kind != session.RowRequest && r.Kind != session.RowResult {
		return false
	}
	switch s.Name(r.Method) {
	case "initialize", "server/discover":
		return true
	case "tools/list", "resources/list", "prompts/list":
		return true // In the modern era each of them says who asks and who answers.
	}
	return false
}

// New returns a handshake of which nothing was seen.
func New() *Handshake {
	return &Handshake{Client: Peer{Row: session.NoRow}, Server: Peer{Row: session.NoRow}}
}

// Known reports whether nothing is left to be learned from what repeats it: the
// rows of other methods than initialize and server/discover.
func (h *Handshake) Known() bool {
	return h.Client.Row != session.NoRow && h.Server.Row != session.NoRow
}

// Add takes what a wanted row says.
func (h *Handshake) Add(log recorder.Log, s *session.Snapshot, row uint32) error {
	r := s.Row(row)
	switch s.Name(r.Method) {
	case "initialize", "server/discover":
	default:
		if h.Known() {
			return nil
		}
	}
	body, err := Value(log, s, row)
	if err != nil {
		return err
	}
	message := Members(body)
	if r.Kind == session.RowRequest {
		h.client(row, Members(message["params"]))
		return nil
	}
	h.server(row, Members(message["result"]))
	return nil
}

func (h *Handshake) client(row uint32, params map[string]json.RawMessage) {
	meta := Members(params["_meta"])
	if h.Client.info(params["clientInfo"]) || h.Client.info(meta[clientInfo]) {
		h.Client.Row = row
	}
	for _, raw := range []json.RawMessage{params["capabilities"], meta[clientCapabilities]} {
		if Members(raw) != nil {
			h.Client.Capabilities, h.Client.Row = raw, row
		}
	}
}

func (h *Handshake) server(row uint32, result map[string]json.RawMessage) {
	meta := Members(result["_meta"])
	if h.Server.info(result["serverInfo"]) || h.Server.info(meta[serverInfo]) {
		h.Server.Row = row
	}
	if raw := result["capabilities"]; Members(raw) != nil {
		h.Server.Capabilities, h.Server.Row = raw, row
	}
	if text := Text(result["instructions"]); text != "" {
		h.Instructions = text
	}
	if list := Elements(result["supportedVersions"]); list != nil {
		h.Versions = nil // Copies of h share what it held.
		for _, raw := range list[:min(len(list), 16)] {
			h.Versions = append(h.Versions, Text(raw))
		}
	}
}

// info takes a name with its version. It reports false where there is none.
func (p *Peer) info(raw json.RawMessage) bool {
	m := Members(raw)
	if m == nil {
		return false
	}
	p.Name, p.Version, p.Title = Text(m["name"]), Text(m["version"]), Text(m["title"])
	return true
}
