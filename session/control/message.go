package control

import (
	"bytes"
	"encoding/json"
	"fmt"

	"wiretea/session"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// MaxMessage is the longest message that is sent, in bytes.
const MaxMessage = 16 << 20

// maxDepth is how deep a message may be nested.
const maxDepth = 200

// A message is one that may be sent.
type message struct {
	text    []byte
	request bool
	id      jsonrpc.Span // id and token are what is replaced; of type Absent where there is none.
	token   jsonrpc.Span
}

// parse checks that a text is one message that no server can misunderstand.
func parse(text []byte) (m message, err error) {
	text = bytes.Trim(text, " \t\r\n")
	m.text = text
	if len(text) > MaxMessage {
		return m, refuse("the message is longer than %d MiB", MaxMessage>>20)
	}
	if bytes.ContainsAny(text, "\r\n") {
		return m, refuse("the message contains a line break")
	}
	why := ""
	facts := jsonrpc.Scan(text, func(found *jsonrpc.Message) {
		m.request = found.Kind == jsonrpc.Request
		m.id, m.token = found.ID.Span, found.Field(jsonrpc.MetaProgressToken).Span
		if why == "" {
			why = objection(found)
		}
	})
	switch {
	case facts.Syntax != jsonrpc.Complete:
		return m, refuse("it is not JSON, or not all of it")
	case facts.Batches > 0:
		return m, refuse("it is a batch")
	case facts.Emitted != 1:
		return m, refuse("it is not a JSON object")
	case facts.Defects&^jsonrpc.KeysUnchecked != 0:
		return m, refuse("it is badly written: %v", facts.Defects&^jsonrpc.KeysUnchecked)
	case facts.Depth > maxDepth:
		return m, refuse("it is nested more than %d deep", maxDepth)
	case why != "":
		return m, refuse("%s", why)
	}
	return m, nil
}

// objection says why a message may not be sent, empty = it may.
func objection(m *jsonrpc.Message) string {
	method, plain := m.Method.Unquoted()
	switch {
	case m.Type != jsonrpc.Object:
		return "it is not a JSON object"
	case m.Kind.Response():
		return "it is a response, and those are for the client to give"
	case m.Kind != jsonrpc.Request && m.Kind != jsonrpc.Notification:
		return "it has no method"
	case !m.Version.Is("2.0"):
		return `it does not say "jsonrpc":"2.0"`
	case !plain || method == "":
		return "its method is not a name"
	case method == mcp.Initialize || method == mcp.InitializedNotification:
		return "the handshake is the client's own"
	case m.Kind == jsonrpc.Request && m.ID.Type != jsonrpc.String && m.ID.Type != jsonrpc.Number:
		return "its id is neither a string nor a number"
	case m.Params.Type != jsonrpc.Absent && m.Params.Type != jsonrpc.Object:
		return "params must be an object"
	case m.UnknownKey != "":
		return fmt.Sprintf("it has the member %q, which no message has", m.UnknownKey)
	}
	return ""
}

// line is the message as it goes out, with its line feed; a request's id and
// progress token are replaced by id, the raw text of a string.
func (m *message) line(id string) []byte {
	line := make([]byte, 0, len(m.text)+2*len(id)+1)
	from := int64(0)
	first, second := m.id, m.token
	if second.Off < first.Off {
		first, second = second, first
	}
	for _, span := range []jsonrpc.Span{first, second} {
		if m.request && span.Type != jsonrpc.Absent {
			line = append(line, m.text[from:span.Off]...)
			line = append(line, id...)
			from = span.Off + span.Len
		}
	}
	return append(append(line, m.text[from:]...), '\n')
}

// cancellation is the line that withdraws a request, by the raw text of its id.
func cancellation(id, reason string) ([]byte, error) {
	whole := false
	facts := jsonrpc.Scan([]byte(`{"id":`+id+`}`), func(m *jsonrpc.Message) {
		whole = (m.ID.Type == jsonrpc.String || m.ID.Type == jsonrpc.Number) && m.ID.Len == int64(len(id)) && m.UnknownKey == ""
	})
	if facts.Syntax != jsonrpc.Complete || facts.Emitted != 1 || facts.Defects != 0 || !whole || bytes.ContainsAny([]byte(id), "\r\n") {
		return nil, refuse("%.40q is not the raw text of an id", id)
	}
	line := []byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id)
	if reason != "" {
		text, err := json.Marshal(reason)
		if err != nil {
			return nil, fmt.Errorf("writing the reason: %w", err)
		}
		line = append(append(line, `,"reason":`...), text...)
	}
	return append(line, "}}\n"...), nil
}

// refuse says why something is not sent.
func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: %s", session.ErrRefused, fmt.Sprintf(format, args...))
}
