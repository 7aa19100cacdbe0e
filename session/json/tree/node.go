package tree

import (
	"bytes"

	"wiretea/session/json/lex"
)

// Kind is the type of a JSON value.
type Kind uint8

const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// A Node is JSON text with its structure. It never changes.
type Node struct {
	Kind    Kind
	Deep    bool   // Deep: it is nested too far to have members or items here.
	Twice   bool   // Twice: a key is in it more than once.
	Raw     []byte // Raw is its text, exactly,
	Off     int    // and Off where that begins in what was read.
	Members []Member
	Items   []*Node
}

// A Member is one of an object.
type Member struct {
	Key string
	Raw []byte // Raw is the key's text, with its quotes.
	Val *Node
}

// MaxDepth is how deep values have a structure; what lies deeper is text.
const MaxDepth = 100

// Read reads one value from text that is known to be JSON. The Node keeps the text,
// which must not be changed.
func Read(text []byte) *Node {
	r := reader{text: text}
	r.space()
	return r.value(0)
}

// A reader reads text that is known to be JSON.
type reader struct {
	text []byte
	at   int
}

func (r *reader) space() { r.at = lex.SkipSpace(r.text, r.at) }

func (r *reader) value(depth int) *Node {
	from := r.at
	n := &Node{}
	switch c := r.text[r.at]; c {
	case '{', '[':
		n.Kind = Array
		if c == '{' {
			n.Kind = Object
		}
		switch {
		case depth >= MaxDepth:
			n.Deep = true
			r.at = lex.ValueEnd(r.text, r.at)
		case c == '{':
			r.object(n, depth)
		default:
			r.array(n, depth)
		}
	case '"':
		n.Kind = String
		r.at = lex.StringEnd(r.text, r.at)
	case 't', 'f':
		n.Kind = Bool
		r.word()
	case 'n':
		r.word()
	default:
		n.Kind = Number
		r.word()
	}
	n.Raw, n.Off = r.text[from:r.at:r.at], from
	return n
}

// word goes behind a number or a literal.
func (r *reader) word() {
	for r.at < len(r.text) && !lex.IsSpace(r.text[r.at]) && bytes.IndexByte([]byte(",]}"), r.text[r.at]) < 0 {
		r.at++
	}
}

func (r *reader) object(n *Node, depth int) {
	var seen map[string]bool
	for r.at++; ; r.at++ {
		if r.space(); r.text[r.at] == '}' {
			break
		}
		from := r.at
		r.at = lex.StringEnd(r.text, r.at)
		m := Member{Raw: r.text[from:r.at:r.at]}
		m.Key = lex.Unquote(m.Raw)
		if seen == nil {
			seen = map[string]bool{}
		}
		n.Twice = n.Twice || seen[m.Key]
		seen[m.Key] = true
		r.space()
		r.at++ // the colon
		r.space()
		m.Val = r.value(depth + 1)
		n.Members = append(n.Members, m)
		if r.space(); r.text[r.at] == '}' {
			break
		}
	}
	r.at++
}

func (r *reader) array(n *Node, depth int) {
	for r.at++; ; r.at++ {
		if r.space(); r.text[r.at] == ']' {
			break
		}
		n.Items = append(n.Items, r.value(depth+1))
		if r.space(); r.text[r.at] == ']' {
			break
		}
	}
	r.at++
}

// Get returns a member of an object, the last of that name; nil where there is
// none, or no object.
func (n *Node) Get(key string) *Node {
	if n == nil {
		return nil
	}
	for i := len(n.Members) - 1; i >= 0; i-- {
		if n.Members[i].Key == key {
			return n.Members[i].Val
		}
	}
	return nil
}

// Text returns what a string says, and whether it is one.
func (n *Node) Text() (string, bool) {
	if n == nil || n.Kind != String {
		return "", false
	}
	return lex.Unquote(n.Raw), true
}

// Is reports whether n is there and of that kind.
func (n *Node) Is(k Kind) bool { return n != nil && n.Kind == k }

// Children are the members' values of an object, or the items of an array.
func (n *Node) Children() []*Node {
	if n.Kind != Object {
		return n.Items
	}
	out := make([]*Node, len(n.Members))
	for i := range n.Members {
		out[i] = n.Members[i].Val
	}
	return out
}

// An Index finds members of objects that are large. The zero value is not ready to
// use; it belongs to one goroutine.
type Index map[*Node]map[string]*Node

// Get is Node.Get, with an index for objects that are large: many references may
// lead into one.
func (x Index) Get(n *Node, key string) *Node {
	if n == nil || len(n.Members) < 32 {
		return n.Get(key)
	}
	index := x[n]
	if index == nil {
		index = make(map[string]*Node, len(n.Members))
		for _, m := range n.Members {
			index[m.Key] = m.Val
		}
		x[n] = index
	}
	return index[key]
}
