package jsonschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf8"
)

// kind is the type of a JSON value.
type kind uint8

const (
	null kind = iota
	boolean
	number
	text
	array
	object
)

var kindWords = [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}

// A node is a JSON value with its structure. It never changes.
type node struct {
	kind    kind
	twice   bool   // twice: a key stands in it more than once.
	raw     []byte // raw is its text.
	members []member
	items   []*node
}

type member struct {
	key string
	val *node
}

// maxDepth is how deep schemas and values may be nested.
const maxDepth = 100

var (
	errDeep = errors.New("it is nested too deep")
	errJSON = errors.New("it is no JSON")
)

// parse reads one JSON value. It keeps b, which must not be changed.
func parse(b []byte) (*node, error) {
	b = bytes.TrimSpace(b)
	if nesting(b) > maxDepth {
		return nil, errDeep
	}
	if !json.Valid(b) {
		return nil, errJSON
	}
	p := parser{text: b}
	return p.value(), nil
}

// nesting is how deep the brackets of a text go.
func nesting(b []byte) int {
	most, open := 0, 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '{', '[':
			open++
			most = max(most, open)
		case '}', ']':
			open--
		case '"':
			i = stringEnd(b, i) - 1
		}
	}
	return most
}

// A parser reads text that is known to be JSON and not to be deep.
type parser struct {
	text []byte
	at   int
}

func (p *parser) space() {
	for p.at < len(p.text) && bytes.IndexByte([]byte(" \n\t\r"), p.text[p.at]) >= 0 {
		p.at++
	}
}

func (p *parser) value() *node {
	from := p.at
	n := &node{}
	switch p.text[p.at] {
	case '{':
		n.kind = object
		p.object(n)
	case '[':
		n.kind = array
		p.array(n)
	case '"':
		n.kind = text
		p.at = stringEnd(p.text, p.at)
	case 't', 'f', 'n':
		if p.text[p.at] != 'n' {
			n.kind = boolean
		}
		p.word()
	default:
		n.kind = number
		p.word()
	}
	n.raw = p.text[from:p.at:p.at]
	return n
}

// word goes behind a number or a literal.
func (p *parser) word() {
	for p.at < len(p.text) && bytes.IndexByte([]byte(" \n\t\r,]}"), p.text[p.at]) < 0 {
		p.at++
	}
}

func (p *parser) object(n *node) {
	var seen map[string]bool
	for p.at++; ; p.at++ {
		if p.space(); p.text[p.at] == '}' {
			break
		}
		from := p.at
		p.at = stringEnd(p.text, p.at)
		key := unquote(p.text[from:p.at])
		if len(n.members) == 0 {
			seen = map[string]bool{}
		}
		n.twice = n.twice || seen[key]
		seen[key] = true
		p.space()
		p.at++ // the colon
		p.space()
		n.members = append(n.members, member{key, p.value()})
		if p.space(); p.text[p.at] == '}' {
			break
		}
	}
	p.at++
}

func (p *parser) array(n *node) {
	for p.at++; ; p.at++ {
		if p.space(); p.text[p.at] == ']' {
			break
		}
		n.items = append(n.items, p.value())
		if p.space(); p.text[p.at] == ']' {
			break
		}
	}
	p.at++
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

// unquote returns what a JSON string says. What is no UTF-8 becomes U+FFFD.
func unquote(raw []byte) string {
	if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner)
	}
	var s string
	_ = json.Unmarshal(raw, &s) // it is known to be a JSON string
	return s
}

// get returns a member of an object, the last of that name; nil where there is
// none.
func (n *node) get(key string) *node {
	if n == nil {
		return nil
	}
	for i := len(n.members) - 1; i >= 0; i-- {
		if n.members[i].key == key {
			return n.members[i].val
		}
	}
	return nil
}

// string returns what a string says, and whether it is one.
func (n *node) string() (string, bool) {
	if n == nil || n.kind != text {
		return "", false
	}
	return unquote(n.raw), true
}

// is reports whether n is there and of that kind.
func (n *node) is(k kind) bool { return n != nil && n.kind == k }

// children are the members' values of an object, or the items of an array.
func (n *node) children() []*node {
	if n.kind != object {
		return n.items
	}
	out := make([]*node, len(n.members))
	for i := range n.members {
		out[i] = n.members[i].val
	}
	return out
}

// exact is up to where a float64 has every whole number.
const exact = 1 << 53

// decoded returns the value as encoding/json would, with whole numbers as such
// where the schema's numbers can be compared with them, and those that have no
// place in a float64 as large as can be.
func (n *node) decoded() any {
	switch n.kind {
	case boolean:
		return n.raw[0] == 't'
	case number:
		if i, err := strconv.ParseInt(string(n.raw), 10, 64); err == nil && -exact <= i && i <= exact {
			return i
		}
		return nearest(n.raw)
	case text:
		return unquote(n.raw)
	case array:
		out := make([]any, len(n.items))
		for i, item := range n.items {
			out[i] = item.decoded()
		}
		return out
	case object:
		out := make(map[string]any, len(n.members))
		for i := range n.members {
			out[n.members[i].key] = n.members[i].val.decoded()
		}
		return out
	case null:
	}
	return nil
}
