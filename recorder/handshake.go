package recorder

import (
	"encoding/json"
	"strings"

	"wiretea/session"
	"wiretea/session/mcp"
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

// FirstRows is the number of rows at a session's beginning among which every
// request and result may name its sender, as in the modern era.
const HandshakeRows = 200

// Read returns what both sides say in the first rows of a session. Bodies that
// cannot be read say nothing.
func ReadHandshake(log Log, s *session.Snapshot, rows int) *Handshake {
	h := NewHandshake()
	seen := 0
	for i := uint32(0); int(i) < s.Len() && seen < rows; i++ {
		r := s.Row(i)
		if !s.Has(int(r.Conn)) {
			continue
		}
		if HandshakeRow(s, r) || seen < HandshakeRows && spoken(r) {
			_ = h.Add(log, s, i)
		}
		seen++
	}
	return h
}

// Wanted reports whether a row may hold a part of a handshake.
func HandshakeRow(s *session.Snapshot, r session.Row) bool {
	if !spoken(r) {
		return false
	}
	switch method := s.Name(r.Method); method {
	case mcp.ToolsList, mcp.ResourcesList, mcp.PromptsList:
		return true // In the modern era each of them names its sender.
	default:
		return negotiates(method)
	}
}

// spoken reports whether a row is a request of the client or a result of the server.
func spoken(r session.Row) bool {
	return r.Kind == session.RowRequest && r.Stream == session.C2S || r.Kind == session.RowResult && r.Stream == session.S2C
}

func negotiates(method string) bool { return method == mcp.Initialize || method == mcp.ServerDiscover }

// New returns a handshake of which nothing was seen.
func NewHandshake() *Handshake {
	return &Handshake{Client: Peer{Row: session.NoRow}, Server: Peer{Row: session.NoRow}}
}

// Add takes what a request of the client or a result of the server says. Messages of
// other methods than initialize and server/discover count only while their sender
// is not known.
func (h *Handshake) Add(log Log, s *session.Snapshot, row uint32) error {
	r := s.Row(row)
	peer := &h.Server
	if r.Kind == session.RowRequest {
		peer = &h.Client
	}
	full := negotiates(s.Name(r.Method))
	if !full && peer.Row != session.NoRow {
		return nil
	}
	body, err := ReadMessage(log, s, row)
	if err != nil {
		return err
	}
	message := Members(body)
	if peer == &h.Client {
		params := Members(message["params"])
		meta := Members(params["_meta"])
		peer.named(row, params["clientInfo"], meta[mcp.MetaClientInfo])
		peer.able(row, params["capabilities"])
		peer.able(row, meta[mcp.MetaClientCapabilities])
		return nil
	}
	result := Members(message["result"])
	peer.named(row, result["serverInfo"], Members(result["_meta"])[mcp.MetaServerInfo])
	if full {
		peer.able(row, result["capabilities"])
		h.offers(result)
	}
	return nil
}

// offers takes what the server says besides its name and its capabilities.
func (h *Handshake) offers(result map[string]json.RawMessage) {
	if text := TextOf(result["instructions"]); text != "" {
		h.Instructions = text
	}
	if list := Elements(result["supportedVersions"]); list != nil {
		h.Versions = nil // Copies of h share what it held.
		for _, raw := range list[:min(len(list), 16)] {
			h.Versions = append(h.Versions, TextOf(raw))
		}
	}
}

// String returns name and version, empty where there is neither.
func (p *Peer) String() string { return strings.TrimSpace(p.Name + " " + p.Version) }

// named takes the first object of a list as name, version and title.
func (p *Peer) named(row uint32, list ...json.RawMessage) {
	for _, raw := range list {
		if m := Members(raw); m != nil {
			p.Name, p.Version, p.Title, p.Row = TextOf(m["name"]), TextOf(m["version"]), TextOf(m["title"]), row
			return
		}
	}
}

// able takes capabilities, if they are an object.
func (p *Peer) able(row uint32, raw json.RawMessage) {
	if Members(raw) != nil {
		p.Capabilities, p.Row = raw, row
	}
}

// Members returns the members of an object with their keys as written, nil for
// any other value. Of members with the same key the last one counts.
func Members(raw []byte) map[string]json.RawMessage { return read[map[string]json.RawMessage](raw) }

// Elements returns the elements of an array, nil for any other value.
func Elements(raw []byte) []json.RawMessage { return read[[]json.RawMessage](raw) }

// Text returns the text of a string, empty for any other value.
func TextOf(raw []byte) string { return read[string](raw) }

// read returns a value of a type, the zero value where the text is another one.
func read[T any](raw []byte) (none T) {
	var v T
	if json.Unmarshal(raw, &v) != nil {
		return none
	}
	return v
}
