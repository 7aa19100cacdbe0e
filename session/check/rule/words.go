package rule

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"wiretea/session"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp/shape"
)

// NameOf returns the name of a request for display: its method and the number
// of its record, or its id if it has none.
func NameOf(x *session.Exchange) string { return RequestName(x.Method, x.ReqN, x.ID) }

func RequestName(method string, n uint64, id string) string {
	if n == 0 {
		return Short([]byte(method)) + " (id " + Short([]byte(id)) + ")"
	}
	return Short([]byte(method)) + " #" + strconv.FormatUint(n, 10)
}

// FormatDuration formats a duration in nanoseconds for display.
func FormatDuration(ns int64) string {
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

// Writer returns the side that wrote the event's frame.
func Writer(ev *session.Event) session.Fault { return ev.Frame.Stream.Sender() }

// Describe describes a message: "the response to tools/list (id 3)".
func Describe(ev *session.Event) string {
	m := ev.Message
	switch m.Kind {
	case jsonrpc.Request:
		return "the request " + MethodName(m) + " (id " + RawText(&m.ID) + ")"
	case jsonrpc.Notification:
		return "the notification " + MethodName(m)
	case jsonrpc.Result, jsonrpc.Error, jsonrpc.Invalid:
	}
	switch {
	case ev.Exchange != nil:
		return "the response to " + Short([]byte(ev.Exchange.Method)) + " (id " + RawText(&m.ID) + ")"
	case m.ID.Present():
		return "the response with the id " + RawText(&m.ID)
	}
	return "a response without an id"
}

// MethodName returns the method of a message for display.
func MethodName(m *jsonrpc.Message) string {
	if name, ok := m.Method.Unquoted(); ok {
		return Short([]byte(name))
	}
	return RawText(&m.Method)
}

// RawText returns a captured value as it is on the wire, for display.
func RawText(v *jsonrpc.Value) string { return Short(v.Raw) }

// Short shortens a text and escapes it for display within a sentence.
func Short(b []byte) string {
	const longest = 60
	s := Excerpt(b)
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

// TypeName returns a JSON type with its article: "a string".
func TypeName(t jsonrpc.Type) string {
	return [...]string{
		jsonrpc.Absent: "absent", jsonrpc.Null: "null", jsonrpc.Bool: "a boolean", jsonrpc.Number: "a number",
		jsonrpc.String: "a string", jsonrpc.Array: "an array", jsonrpc.Object: "an object",
	}[t]
}

// UnquotedOrRaw returns the value of a string, or its raw text if the value is
// unknown.
func UnquotedOrRaw(raw []byte) string {
	v := jsonrpc.Value{Span: jsonrpc.Span{Type: jsonrpc.String, Len: int64(len(raw))}, Raw: raw}
	if s, ok := v.Unquoted(); ok {
		return s
	}
	return string(raw)
}

// FormatSize formats a number of bytes for display.
func FormatSize(n int64) string {
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

// MemberType returns the type of a member of an object, with its article.
func MemberType(o Object, key string) string {
	if !o.Has(key) {
		return TypeName(jsonrpc.Absent)
	}
	return TypeName(jsonrpc.TypeOf(o[key]))
}

// Renamed words that an absent member stands there under another name: what follows the
// statement that it is absent, and the hint. Both are empty if by is.
func Renamed(name, by string) (text, hint string) {
	if by == "" {
		return "", ""
	}
	by = Printable(by)
	return " (there is " + by + ")", "write " + name + ", not " + by
}

// Instead is Renamed with the member that an object has instead of an absent one.
func Instead(object []byte, absent string) (text, hint string) {
	by, _ := shape.Near(object, absent, nil)
	return Renamed(absent, by)
}

// PathText formats a path: root.items[2]["odd name"].
func PathText(root string, path []string) string {
	var s strings.Builder
	s.WriteString(root)
	for _, name := range path {
		switch {
		case name != "" && strings.Trim(name, "0123456789") == "":
			s.WriteString("[" + name + "]")
		case IsToolName(name) && !strings.Contains(name, "."):
			s.WriteString("." + name)
		default:
			s.WriteString("[" + Excerpt([]byte(name)) + "]")
		}
	}
	if s.Len() > longestPath {
		return Printable(s.String())
	}
	return s.String()
}

// longestPath is the maximum length of a path in a message, in bytes; a longer
// one is cut.
const longestPath = 160

// Printable escapes and shortens a text for a message.
func Printable(text string) string {
	quoted := Excerpt([]byte(text))
	return quoted[1 : len(quoted)-1]
}

// IsToolName reports whether a name follows [V4] server/tools §Tool Names.
func IsToolName(name string) bool {
	if name == "" || len(name) > 128 {
		return false
	}
	for i := range len(name) {
		if !IsNameByte(name[i]) {
			return false
		}
	}
	return true
}

func IsNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.'
}

// excerptColumns is how wide an excerpt may be on a screen, quotes not counted.
const excerptColumns = 76

// Excerpt quotes the beginning of some bytes for a message: one line, with
// control characters, escape sequences and bidirectional marks escaped, bytes
// that are not UTF-8 as \x.., and cut with … at excerptColumns columns.
func Excerpt(b []byte) string { return excerpt(b, excerptColumns) }

// Whole is a text that says why, for a message: escaped as Excerpt does, and not cut where it
// has a sensible length.
func Whole(text string) string { s := excerpt([]byte(text), 4*excerptColumns); return s[1 : len(s)-1] }

func excerpt(b []byte, most int) string {
	out := append(make([]byte, 0, most+8), '"')
	columns := 0
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		start := len(out)
		switch {
		case r == utf8.RuneError && size == 1:
			out = append(out, `\x`...)
			out = append(out, "0123456789abcdef"[b[0]>>4], "0123456789abcdef"[b[0]&15])
		case r == '"':
			// Most quoted text is JSON, which escaped quotes would make harder
			// to read.
			out = append(out, '"')
		case strconv.IsPrint(r):
			out = utf8.AppendRune(out, r)
		default:
			quoted := strconv.AppendQuoteRune(nil, r)
			out = append(out, quoted[1:len(quoted)-1]...)
		}
		if columns += columnsOf(r, len(out)-start); columns > most {
			return string(append(out[:start], `…"`...))
		}
		b = b[size:]
	}
	return string(append(out, '"'))
}

// columnsOf estimates the width of a rune that was written in n bytes: two
// columns for East Asian text and pictographs, none for combining marks.
func columnsOf(r rune, n int) int {
	switch {
	case r < utf8.RuneSelf || !strconv.IsPrint(r):
		return n
	case unicode.Is(unicode.Mn, r):
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60,
		r >= 0x1f300 && r <= 0x1faff, r >= 0x20000:
		return 2
	}
	return 1
}
