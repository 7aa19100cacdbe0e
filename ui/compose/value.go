package compose

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// kind is the type of a JSON value.
type kind uint8

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindString
	kindArray
	kindObject
)

// A value is JSON text with its structure. It never changes.
type value struct {
	kind    kind
	deep    bool   // deep: it is nested too far to have members or items here.
	twice   bool   // twice: a key stands in it more than once.
	raw     []byte // raw is its text, exactly,
	off     int    // and off where that begins in what was parsed.
	members []member
	items   []*value
}

type member struct {
	key string
	raw []byte // raw is the key's text, with its quotes.
	val *value
}

// maxDepth is how deep values have a structure; what lies deeper is text.
const maxDepth = 100

// errEmpty is returned for a text without any value.
var errEmpty = errors.New("there is no value")

// parse reads one JSON value. The value keeps the text, which must not be
// changed. An error says where.
func parse(text []byte) (*value, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, errEmpty
	}
	if off, err := defect(text); err != nil {
		line, column := position(text, off)
		return nil, fmt.Errorf("line %d, column %d: %w", line, column, err)
	}
	p := parser{text: text}
	p.space()
	return p.value(0), nil
}

// defect returns what is wrong with a text as JSON, and at which byte.
func defect(text []byte) (off int, err error) {
	var whole json.RawMessage
	err = json.Unmarshal(text, &whole)
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		off = max(0, min(int(syntax.Offset)-1, len(text)))
		if strings.HasPrefix(err.Error(), "unexpected end") {
			return len(text), errors.New("the JSON ends too early")
		}
	}
	return off, err
}

// position turns a byte offset into a line and a column, in characters, both
// from 1.
func position(text []byte, off int) (line, column int) {
	before := text[:min(off, len(text))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[start:])
}

// A parser reads text that is known to be JSON.
type parser struct {
	text []byte
	at   int
}

func (p *parser) space() {
	for p.at < len(p.text) && isSpace(p.text[p.at]) {
		p.at++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func (p *parser) value(depth int) *value {
	from := p.at
	v := &value{}
	switch c := p.text[p.at]; c {
	case '{', '[':
		v.kind = kindArray
		if c == '{' {
			v.kind = kindObject
		}
		switch {
		case depth >= maxDepth:
			v.deep = true
			p.skip()
		case c == '{':
			p.object(v, depth)
		default:
			p.array(v, depth)
		}
	case '"':
		v.kind = kindString
		p.at = stringEnd(p.text, p.at)
	case 't', 'n':
		p.at += 4
		if c == 't' {
			v.kind = kindBool
		}
	case 'f':
		v.kind = kindBool
		p.at += 5
	default:
		v.kind = kindNumber
		for p.at < len(p.text) && !isSpace(p.text[p.at]) && !strings.ContainsRune(",]}", rune(p.text[p.at])) {
			p.at++
		}
	}
	v.raw, v.off = p.text[from:p.at:p.at], from
	return v
}

func (p *parser) object(v *value, depth int) {
	seen := map[string]bool{}
	for p.at++; ; p.at++ {
		if p.space(); p.text[p.at] == '}' {
			break
		}
		from := p.at
		p.at = stringEnd(p.text, p.at)
		m := member{raw: p.text[from:p.at:p.at]}
		m.key = unquote(m.raw)
		v.twice = v.twice || seen[m.key]
		seen[m.key] = true
		p.space()
		p.at++ // the colon
		p.space()
		m.val = p.value(depth + 1)
		v.members = append(v.members, m)
		if p.space(); p.text[p.at] == '}' {
			break
		}
	}
	p.at++
}

func (p *parser) array(v *value, depth int) {
	for p.at++; ; p.at++ {
		if p.space(); p.text[p.at] == ']' {
			break
		}
		v.items = append(v.items, p.value(depth+1))
		if p.space(); p.text[p.at] == ']' {
			break
		}
	}
	p.at++
}

// skip goes behind an array or an object.
func (p *parser) skip() {
	for open := 0; ; {
		switch p.text[p.at] {
		case '{', '[':
			open++
		case '}', ']':
			open--
		case '"':
			p.at = stringEnd(p.text, p.at) - 1
		}
		if p.at++; open == 0 {
			return
		}
	}
}

// stringEnd returns the place behind the string that begins at i.
func stringEnd(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return len(b)
}

// get returns a member of an object, the last of that name; nil where there is
// none.
func (v *value) get(key string) *value {
	if v == nil {
		return nil
	}
	for i := len(v.members) - 1; i >= 0; i-- {
		if v.members[i].key == key {
			return v.members[i].val
		}
	}
	return nil
}

// text returns what a string says, and whether it is one.
func (v *value) text() (string, bool) {
	if v == nil || v.kind != kindString {
		return "", false
	}
	return unquote(v.raw), true
}

// unquote returns what a JSON string says. What is no UTF-8 becomes U+FFFD.
func unquote(raw []byte) string {
	if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner)
	}
	var s string
	_ = json.Unmarshal(raw, &s) // it is known to be a JSON string
	return s
}

// quote writes a text as a JSON string, with as few escapes as JSON wants, and
// those two line ends that some readers take for the end of a frame.
func quote(text string) []byte {
	const hex = "0123456789abcdef"
	b := make([]byte, 0, len(text)+2)
	b = append(b, '"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r < ' ':
			b = append(b, `\u00`...)
			b = append(b, hex[r>>4], hex[r&15])
		case r == '\u2028' || r == '\u2029':
			b = append(b, `\u`...)
			b = strconv.AppendInt(b, int64(r), 16)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}

// appendCompact appends JSON without the white space between its tokens. Text
// that is no JSON is appended as it is.
func appendCompact(dst, text []byte) []byte {
	if !json.Valid(text) {
		return append(dst, text...)
	}
	for i := 0; i < len(text); {
		switch {
		case text[i] == '"':
			end := stringEnd(text, i)
			dst = append(dst, text[i:end]...)
			i = end
		case isSpace(text[i]):
			i++
		default:
			dst = append(dst, text[i])
			i++
		}
	}
	return dst
}

// indented writes JSON over several lines; text that is no JSON, or is nested so
// far that the margin would be most of it, stays as it is.
func indented(text []byte) []byte {
	var b bytes.Buffer
	if nesting(text) > maxDepth || json.Indent(&b, text, "", "  ") != nil {
		return bytes.Clone(text)
	}
	return b.Bytes()
}

// nesting is how deep the brackets of a text go.
func nesting(text []byte) int {
	most, open := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			open++
			most = max(most, open)
		case '}', ']':
			open--
		case '"':
			i = stringEnd(text, i) - 1
		}
	}
	return most
}

// isNumber reports whether a text is a number of JSON.
func isNumber(text []byte) bool {
	return len(text) > 0 && (text[0] == '-' || text[0] >= '0' && text[0] <= '9') && !isSpace(text[len(text)-1]) && json.Valid(text)
}
