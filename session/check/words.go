package check

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"wiretea/session"
	"wiretea/session/jsonrpc"
)

// nameOf names a request as people see it: its method, and the number of its
// record, or where there is none its id.
func nameOf(x *session.Exchange) string { return requestName(x.Method, x.ReqN, x.ID) }

func requestName(method string, n uint64, id string) string {
	if n == 0 {
		return short([]byte(method)) + " (id " + short([]byte(id)) + ")"
	}
	return short([]byte(method)) + " #" + strconv.FormatUint(n, 10)
}

// formatDuration writes a time span, given in nanoseconds, for people.
func formatDuration(ns int64) string {
	number := func(unit time.Duration) string {
		s := strconv.FormatFloat(float64(ns)/float64(unit), 'f', 1, 64)
		if whole, ok := strings.CutSuffix(s, ".0"); ok || len(s) > 4 {
			return strings.SplitN(whole, ".", 2)[0]
		}
		return s
	}
	switch d := time.Duration(ns); {
	case d < time.Millisecond:
		return number(time.Millisecond) + " ms"
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case d <= 2*time.Minute:
		return number(time.Second) + " s"
	case d <= 2*time.Hour:
		return number(time.Minute) + " min"
	}
	return number(time.Hour) + " h"
}

// sender returns who wrote the event's frame.
func sender(ev *session.Event) session.Fault { return ev.Frame.Stream.Sender() }

// describe names a message: "the response to tools/list (id 3)".
func describe(ev *session.Event) string {
	m := ev.Message
	switch m.Kind {
	case jsonrpc.Request:
		return "the request " + methodName(m) + " (id " + rawText(&m.ID) + ")"
	case jsonrpc.Notification:
		return "the notification " + methodName(m)
	case jsonrpc.Result, jsonrpc.Error, jsonrpc.Invalid:
	}
	switch {
	case ev.Exchange != nil:
		return "the response to " + short([]byte(ev.Exchange.Method)) + " (id " + rawText(&m.ID) + ")"
	case m.ID.Present():
		return "the response with the id " + rawText(&m.ID)
	}
	return "a response without an id"
}

// methodName returns the method of a message for display.
func methodName(m *jsonrpc.Message) string {
	if name, ok := m.Method.Unquoted(); ok {
		return short([]byte(name))
	}
	return rawText(&m.Method)
}

// rawText returns a captured value as it is on the wire, for display.
func rawText(v *jsonrpc.Value) string { return short(v.Raw) }

// short makes a short text safe to show within a sentence.
func short(b []byte) string {
	const longest = 60
	s := excerpt(b)
	s = s[1 : len(s)-1]
	if len(s) <= longest {
		return s
	}
	cut := longest
	for cut > 0 && s[cut]&0xc0 == 0x80 {
		cut--
	}
	return s[:cut] + "…"
}

// typeName names a JSON type within a sentence.
func typeName(t jsonrpc.Type) string {
	switch t {
	case jsonrpc.Null:
		return "null"
	case jsonrpc.Bool:
		return "a boolean"
	case jsonrpc.Number:
		return "a number"
	case jsonrpc.String:
		return "a string"
	case jsonrpc.Array:
		return "an array"
	case jsonrpc.Object:
		return "an object"
	case jsonrpc.Absent:
	}
	return "absent"
}

// unquotedOrRaw returns what a string says, and its raw text where that cannot be
// told.
func unquotedOrRaw(raw []byte) string {
	v := jsonrpc.Value{Span: jsonrpc.Span{Type: jsonrpc.String, Len: int64(len(raw))}, Raw: raw}
	if s, ok := v.Unquoted(); ok {
		return s
	}
	return string(raw)
}

// formatSize writes a number of bytes for people.
func formatSize(n int64) string {
	unit, name := int64(1), "bytes"
	switch {
	case n >= 1<<20:
		unit, name = 1<<20, "MiB"
	case n >= 1<<10:
		unit, name = 1<<10, "KiB"
	}
	if n%unit == 0 {
		return fmt.Sprintf("%d %s", n/unit, name)
	}
	return fmt.Sprintf("%.1f %s", float64(n)/float64(unit), name)
}

// memberType names the type of a member of a decoded object.
func memberType(o object, key string) string {
	if !o.has(key) {
		return typeName(jsonrpc.Absent)
	}
	return typeName(jsonrpc.TypeOf(o[key]))
}

// pathText writes where something stands: root.items[2]["odd name"].
func pathText(root string, path []string) string {
	var s strings.Builder
	s.WriteString(root)
	for _, name := range path {
		switch {
		case name != "" && strings.Trim(name, "0123456789") == "":
			s.WriteString("[" + name + "]")
		case isToolName(name) && !strings.Contains(name, "."):
			s.WriteString("." + name)
		default:
			s.WriteString("[" + excerpt([]byte(name)) + "]")
		}
	}
	if s.Len() > longestPath {
		return printable(s.String())
	}
	return s.String()
}

// longestPath is how long a path may be in a message, in bytes; of a longer one
// the beginning is told.
const longestPath = 160

// printable makes a text fit for a message.
func printable(text string) string {
	quoted := excerpt([]byte(text))
	return quoted[1 : len(quoted)-1]
}

// isToolName reports whether a name is as names should be ([V4] server/tools
// §Tool Names).
func isToolName(name string) bool {
	if name == "" || len(name) > 128 {
		return false
	}
	for i := range len(name) {
		if !isNameByte(name[i]) {
			return false
		}
	}
	return true
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.'
}
