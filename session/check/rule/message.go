package rule

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"wiretea/session"
	"wiretea/session/jsonrpc"
)

// IsMessage reports whether a value is meant as a JSON-RPC message, though
// perhaps a faulty one. An object that does not say "jsonrpc" needs to have
// nothing else that messages do not have, for log objects have keys like method,
// error and id too.
func IsMessage(m *jsonrpc.Message) bool {
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
	return !LogKeys[m.UnknownKey]
}

// HoldsMessage reports whether an unfinished frame is a message so far, as far
// as its head shows.
func HoldsMessage(f *session.Frame) bool {
	if f.Body || !StartsMessage(f.Head) {
		return false
	}
	if int64(len(f.Head)) < f.Len {
		return true
	}
	found := false
	jsonrpc.Scan(f.Head, func(m *jsonrpc.Message) { found = found || IsMessage(m) })
	return found
}

// StartsMessage reports whether a line begins as an object with a key does, or
// as a batch of such.
func StartsMessage(head []byte) bool {
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

// ResultOf returns the text of a result that can be judged by its method: nil for
// one that is too long, that has a key twice or is no UTF-8, which readers take
// in different ways, and for one that says that it is something else, a question
// or a task.
func ResultOf(ev *session.Event) []byte {
	m := ev.Message
	if m.Defects&(jsonrpc.DuplicateKey|jsonrpc.InvalidUTF8|jsonrpc.LoneSurrogate|jsonrpc.KeysUnchecked) != 0 || m.Result.Type != jsonrpc.Object {
		return nil
	}
	if t := m.Field(jsonrpc.ResultType); t.Present() && !t.Is("complete") {
		return nil
	}
	if m.Field(jsonrpc.ResultTaskTaskID).Present() || m.Field(jsonrpc.ResultTaskID).Present() {
		return nil
	}
	return SpanText(ev, m.Result)
}

// UsableID reports whether an id is a string or an integer. 1.0 and 1e3 are
// integers to JSON Schema, in an unusual spelling.
func UsableID(id *jsonrpc.Value) bool {
	switch id.Type {
	case jsonrpc.String:
		return true
	case jsonrpc.Number:
		return IsInteger(id)
	case jsonrpc.Absent, jsonrpc.Null, jsonrpc.Bool, jsonrpc.Array, jsonrpc.Object:
	}
	return false
}

// IsInteger reports whether a number has no fraction, however it is written.
func IsInteger(v *jsonrpc.Value) bool {
	if v.Type != jsonrpc.Number {
		return false
	}
	if _, ok := v.Int(); ok || !v.Whole() {
		return true
	}
	if strings.IndexFunc(string(v.Raw), func(r rune) bool { return r == '.' || r == 'e' || r == 'E' }) < 0 {
		return true
	}
	f, err := strconv.ParseFloat(string(v.Raw), 64)
	return err == nil && f == math.Trunc(f)
}

// NumberOf returns the value of a number, and false for any other value and for
// a number that does not fit a float64.
func NumberOf(v *jsonrpc.Value) (float64, bool) {
	if v.Type != jsonrpc.Number || !v.Whole() {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(v.Raw), 64)
	return f, err == nil
}

// LogKeys are keys that loggers put at the top of their objects and messages
// never have.
var LogKeys = map[string]bool{
	"level": true, "lvl": true, "severity": true, "levelname": true, "msg": true, "message": true, "time": true, "timestamp": true,
	"ts": true, "@timestamp": true, "logger": true,
}

// WithoutZeros returns what UTF-16 text says as far as it is ASCII.
func WithoutZeros(head []byte) []byte {
	head = bytes.TrimPrefix(bytes.TrimPrefix(head, []byte("\xff\xfe")), []byte("\xfe\xff"))
	return bytes.ReplaceAll(head, []byte{0}, nil)
}

// Unambiguous reports whether all readers take a message in the same way.
func Unambiguous(m *jsonrpc.Message) bool {
	return m.Defects&(jsonrpc.DuplicateKey|jsonrpc.InvalidUTF8|jsonrpc.LoneSurrogate|jsonrpc.KeysUnchecked) == 0
}
