package rule

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"wiretea/session"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
)

// IsMessage reports whether a value is meant as a JSON-RPC message, even if it
// is faulty. An object without "jsonrpc" must have only members of messages,
// because log objects have keys like method, error and id too.
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
	return !LogKey(m.UnknownKey)
}

// HoldsMessage reports whether an unfinished frame is a message, as far as its
// head shows.
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

// StartsMessage reports whether a line begins like an object with a key, or
// like a batch of such objects.
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

// ResultOf returns the text of a result that can be judged by its method. It
// returns nil for a result that is too long, for one with duplicate keys or
// invalid UTF-8, which readers interpret differently, and for one that requests
// input or is a task.
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

// UsableID reports whether an id is a string or an integer. In JSON Schema, 1.0
// and 1e3 are integers too.
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

// IsInteger reports whether a number has no fraction, whatever its spelling.
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

// LogKey reports whether log objects have that key at their top level, which messages never
// have.
func LogKey(name string) bool {
	switch name {
	case "level", "lvl", "severity", "levelname", "msg", "message", "time", "timestamp", "ts", "@timestamp", "logger":
		return true
	}
	return false
}

// WithoutZeros returns the ASCII characters of UTF-16 text.
func WithoutZeros(head []byte) []byte {
	head = bytes.TrimPrefix(bytes.TrimPrefix(head, []byte("\xff\xfe")), []byte("\xfe\xff"))
	return bytes.ReplaceAll(head, []byte{0}, nil)
}

// Unambiguous reports whether all readers interpret a message in the same way.
func Unambiguous(m *jsonrpc.Message) bool {
	return m.Defects&(jsonrpc.DuplicateKey|jsonrpc.InvalidUTF8|jsonrpc.LoneSurrogate|jsonrpc.KeysUnchecked) == 0
}

// messageNeeds are what the messages of a prompt and of a sampling request have.
var messageNeeds = []Need{{"messages[].role", jsonrpc.Absent}}

// MessagesFault says what is wrong with the member messages of an object, empty
// if nothing is. The content of a message is a block, or with several also an
// array of blocks.
func MessagesFault(object []byte, several bool) string {
	if lack := Lack(object, messageNeeds); lack != "" {
		return lack
	}
	for i, message := range lex.Items(lex.Get(object, "messages")) {
		role, content := lex.Get(message, "role"), jsonrpc.TypeOf(lex.Get(message, "content"))
		switch {
		case !lex.IsText(role, "user") && !lex.IsText(role, "assistant"):
			return fmt.Sprintf("messages[%d].role is %s, must be user or assistant", i, roleText(role))
		case content != jsonrpc.Object && !(several && content == jsonrpc.Array):
			return fmt.Sprintf("messages[%d].content is %s, must be a block", i, TypeName(content))
		}
	}
	return ""
}

func roleText(role []byte) string {
	if jsonrpc.TypeOf(role) == jsonrpc.String {
		return Short(role)
	}
	return TypeName(jsonrpc.TypeOf(role))
}

// ProbeLine is what check --probe writes, as the client, to see how a server takes a line that
// is not JSON.
const ProbeLine = `{"jsonrpc":"2.0","id":"wiretea-bad-json","method":`
