package path

import (
	"bytes"
	"cmp"
	"fmt"

	"wiretea/session"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// What follows are the kinds that change a message, or its time.

func delay(m *Message, v value, _ *state) (session.Ruling, bool) {
	return session.Ruling{Text: m.Body, Delay: v.time}, true
}

func drop(*Message, value, *state) (session.Ruling, bool) {
	return session.Ruling{Effect: &session.Effect{Silent: true}}, true
}

// duplicate does not apply to a whole body of a response: there is one.
func duplicate(m *Message, _ value, _ *state) (session.Ruling, bool) {
	return session.Ruling{Text: m.Body, More: [][]byte{m.Body}}, m.Carrier != session.ByBody || m.Stream == session.C2S
}

func truncate(m *Message, v value, _ *state) (session.Ruling, bool) {
	v.size = cmp.Or(v.size, len(m.Body)/2)
	return session.Ruling{Text: m.Body[:min(v.size, len(m.Body))]}, v.size < len(m.Body)
}

// isResponse reports whether a message is a response.
func isResponse(m *Message) bool {
	return m.Kind == session.RowResult || m.Kind == session.RowError
}

func wrongID(m *Message, _ value, s *state) (session.Ruling, bool) {
	text, ok := replaced(m.Body, "id", fmt.Appendf(nil, `"wiretea-no-such-id-%d"`, s.random.Uint32()))
	return session.Ruling{Text: text}, ok && isResponse(m)
}

func resultToError(m *Message, v value, _ *state) (session.Ruling, bool) {
	if m.Kind != session.RowResult {
		return session.Ruling{}, false
	}
	return session.Ruling{Text: jsonrpc.AppendError(nil, m.ID, mcp.InternalError, v.text, nil)}, true
}

// replaced returns an object with another value for a member; the rest stays as it is.
func replaced(object []byte, member string, with []byte) ([]byte, bool) {
	members, _ := lex.List(object)
	for _, at := range members {
		if at.Name == member {
			text := append([]byte(nil), object[:at.At]...)
			return append(append(text, with...), object[at.At+len(at.Value):]...), true
		}
	}
	return nil, false
}

func junkLine(m *Message, v value, _ *state) (session.Ruling, bool) {
	if m.Carrier == session.ByBody {
		return session.Ruling{Text: append([]byte(v.text+"\n"), m.Body...)}, true
	}
	return session.Ruling{Text: []byte(v.text), More: [][]byte{m.Body}}, true
}

func oversize(m *Message, v value, _ *state) (session.Ruling, bool) {
	end := bytes.LastIndexByte(m.Body, '}')
	if end < 0 || v.size <= len(m.Body) {
		return session.Ruling{}, false
	}
	text := append(make([]byte, 0, v.size), m.Body[:end]...)
	text = append(text, bytes.Repeat([]byte{' '}, v.size-len(m.Body))...)
	return session.Ruling{Text: append(text, m.Body[end:]...)}, true
}
