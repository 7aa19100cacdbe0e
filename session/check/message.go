package check

import (
	"bytes"

	"wiretea/session"
	"wiretea/session/jsonrpc"
)

// isMessage reports whether a value is meant as a JSON-RPC message, though
// perhaps a faulty one. An object that does not say "jsonrpc" needs to have
// nothing else that messages do not have, for log objects have keys like method,
// error and id too.
func isMessage(m *jsonrpc.Message) bool {
	switch {
	case m.Type != jsonrpc.Object, m.Method.Present() && m.Method.Type != jsonrpc.String:
		return false
	case m.Version.Present():
		return m.Kind != jsonrpc.Invalid || m.ID.Present()
	case !m.ID.Present():
		return m.Kind == jsonrpc.Notification && m.UnknownKey == ""
	case m.Kind == jsonrpc.Invalid:
		return m.UnknownKey == ""
	}
	return !logKeys[m.UnknownKey]
}

// holdsMessage reports whether an unfinished frame is a message so far, as far
// as its head shows.
func holdsMessage(f *session.Frame) bool {
	if f.Body || !startsMessage(f.Head) {
		return false
	}
	if int64(len(f.Head)) < f.Len {
		return true
	}
	found := false
	jsonrpc.Scan(f.Head, func(m *jsonrpc.Message) { found = found || isMessage(m) })
	return found
}

// startsMessage reports whether a line begins as an object with a key does, or
// as a batch of such.
func startsMessage(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t")
	if len(head) > 0 && head[0] == '[' {
		head = bytes.TrimLeft(head[1:], " \t")
	}
	if len(head) == 0 || head[0] != '{' {
		return false
	}
	head = bytes.TrimLeft(head[1:], " \t")
	return len(head) > 0 && head[0] == '"'
}
