package clientconfig

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// maxDepth bounds the nesting of JSON and TOML values.
const maxDepth = 256

type kind uint8

const (
	kindOther kind = iota // kindOther: a number, true, false or null.
	kindString
	kindArray
	kindObject
)

// A node is a JSON value and where it is.
type node struct {
	kind    kind
	at      span
	text    string // text is a string's value.
	members []member
	elems   []node
}

// A member is a key and a value of an object.
type member struct{ key, value node }

// get returns the value of a key; nil = there is none. Where the key is there
// twice, clients differ in which they take, and twice is true.
func (n *node) get(key string) (value *node, twice bool) {
	for i := range n.members {
		if n.members[i].key.text != key {
			continue
		}
		if value != nil {
			return value, true
		}
		value = &n.members[i].value
	}
	return value, false
}

// twice returns a key that an object has more than once.
func (n *node) twice() (key string, is bool) {
	seen := make(map[string]bool, len(n.members))
	for i := range n.members {
		if key = n.members[i].key.text; seen[key] {
			return key, true
		}
		seen[key] = true
	}
	return "", false
}

// scanJSON reads JSON as editors write it: with comments, trailing commas and a
// byte order mark. It returns nil for a file without any value.
func scanJSON(data []byte) (*node, error) {
	if err := checkText(data); err != nil {
		return nil, err
	}
	s := scanner{data: data}
	if len(data) >= len(bom) && string(data[:len(bom)]) == bom {
		s.i = len(bom)
	}
	s.skip()
	if s.i == len(data) && s.err == nil {
		return nil, nil
	}
	root := s.value(0)
	s.skip()
	if s.i < len(data) {
		s.fail("there is more behind the end")
	}
	return &root, s.err
}

// A scanner walks through JSON with comments. After its first error it is
// at the end and keeps that error.
type scanner struct {
	data []byte
	i    int
	err  error
	lax  string // lax is the first thing that JSON does not allow, but editors do; empty = nothing.
}

// notStrict notes what JSON does not allow.
func (s *scanner) notStrict(at int, what string) {
	if s.lax == "" && s.err == nil {
		s.lax = fmt.Sprintf("line %d has %s", 1+bytes.Count(s.data[:at], []byte("\n")), what)
	}
}

// notStrict says what in a file JSON does not allow, but editors do: "line 3 has a comment";
// empty = nothing.
func notStrict(data []byte) string {
	s := scanner{data: bytes.TrimPrefix(data, []byte(bom))}
	s.skip()
	s.value(0)
	s.skip()
	return s.lax
}

func (s *scanner) fail(what string) {
	if s.i >= len(s.data) {
		what = "the file ends too early"
	}
	if s.err == nil {
		s.err = errorAt(s.data, s.i, "%s", what)
	}
	s.i = len(s.data)
}

// peek returns the byte that comes next, 0 at the end.
func (s *scanner) peek() byte {
	if s.i < len(s.data) {
		return s.data[s.i]
	}
	return 0
}

// skip passes blanks and comments.
func (s *scanner) skip() {
	for s.i < len(s.data) {
		switch s.data[s.i] {
		case ' ', '\t', '\r', '\n':
			s.i++
		case '/':
			s.comment()
		default:
			return
		}
	}
}

func (s *scanner) comment() {
	rest := s.data[s.i:]
	s.notStrict(s.i, "a comment")
	switch {
	case len(rest) > 1 && rest[1] == '/':
		for s.i < len(s.data) && s.data[s.i] != '\n' {
			s.i++
		}
	case len(rest) > 1 && rest[1] == '*':
		for j := 2; j+1 < len(rest); j++ {
			if rest[j] == '*' && rest[j+1] == '/' {
				s.i += j + 2
				return
			}
		}
		s.fail("this comment has no end")
	default:
		s.fail("this is not JSON")
	}
}

func (s *scanner) value(depth int) node {
	if depth > maxDepth {
		s.fail("this is nested too deep")
	}
	start := s.i
	var n node
	switch s.peek() {
	case '{':
		n = s.object(depth)
	case '[':
		n = s.array(depth)
	case '"':
		n = s.str()
	default:
		n = s.scalar()
	}
	n.at = span{start, s.i}
	return n
}

func (s *scanner) object(depth int) node {
	n := node{kind: kindObject}
	s.i++
	comma := 0
	for s.skip(); s.err == nil && s.peek() != '}'; s.skip() {
		if s.peek() != '"' {
			s.fail("a key in quotes is missing")
			break
		}
		start := s.i
		key := s.str()
		key.at = span{start, s.i}
		s.skip()
		if s.peek() != ':' {
			s.fail("a colon is missing")
			break
		}
		s.i++
		s.skip()
		n.members = append(n.members, member{key, s.value(depth + 1)})
		if s.more('}') {
			comma = 0
			break
		}
		comma = s.i
	}
	s.trailing(comma)
	s.close('}')
	return n
}

func (s *scanner) array(depth int) node {
	n := node{kind: kindArray}
	s.i++
	comma := 0
	for s.skip(); s.err == nil && s.peek() != ']'; s.skip() {
		n.elems = append(n.elems, s.value(depth+1))
		if s.more(']') {
			comma = 0
			break
		}
		comma = s.i
	}
	s.trailing(comma)
	s.close(']')
	return n
}

// more passes the comma behind a value, and reports whether that was the last.
func (s *scanner) more(end byte) (last bool) {
	s.skip()
	if s.peek() == ',' {
		s.i++
		return false
	}
	if s.peek() != end {
		s.fail("a comma is missing")
	}
	return true
}

// trailing notes a comma before the end of an object or array, which ends at that place; 0 =
// there is none.
func (s *scanner) trailing(comma int) {
	if comma > 0 {
		s.notStrict(comma-1, "a comma behind the last element")
	}
}

func (s *scanner) close(end byte) {
	if s.err == nil && s.peek() != end {
		s.fail("the end of an object or array is missing")
	}
	if s.err == nil {
		s.i++
	}
}

func (s *scanner) str() node {
	start := s.i
	for j := s.i + 1; j < len(s.data); j++ {
		switch s.data[j] {
		case '\\':
			j++
		case '"':
			n := node{kind: kindString}
			if json.Unmarshal(s.data[start:j+1], &n.text) != nil {
				s.fail("this string is not JSON")
			} else {
				s.i = j + 1
			}
			return n
		}
	}
	s.fail("this string has no end")
	return node{}
}

func (s *scanner) scalar() node {
	j := s.i
	for j < len(s.data) && isScalar(s.data[j]) {
		j++
	}
	if !json.Valid(s.data[s.i:j]) {
		s.fail("this is not JSON")
		return node{}
	}
	s.i = j
	return node{}
}

func isScalar(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '+' || c == '-' || c == '.'
}
