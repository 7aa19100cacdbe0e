package tree

import (
	"strconv"
	"strings"
)

// A Book is a schema, with where its references lead. It belongs to one goroutine.
type Book struct {
	root    *Node
	anchors map[string]*Node
	indexes map[*Node]map[string]*Node // indexes are of large objects.
}

// NewBook returns the book of a schema.
func NewBook(root *Node) *Book {
	return &Book{root: root, indexes: map[*Node]map[string]*Node{}}
}

// Root is the schema.
func (b *Book) Root() *Node { return b.root }

// Resolve finds what a reference names inside of the schema; nil where it is not
// there.
func (b *Book) Resolve(name string) *Node {
	if strings.HasPrefix(name, "#/") || name == "#" {
		return b.pointer(b.root, strings.TrimPrefix(name, "#"))
	}
	if b.anchors == nil {
		b.anchors = map[string]*Node{}
		b.collect(b.root)
	}
	if n := b.anchors[name]; n != nil {
		return n
	}
	if base, rest, ok := strings.Cut(name, "#"); ok && base != "" {
		if n := b.anchors[base]; n != nil && (rest == "" || rest[0] == '/') {
			return b.pointer(n, rest)
		}
	}
	return nil
}

// collect finds the names that subschemas give themselves.
func (b *Book) collect(n *Node) {
	for _, m := range n.Members {
		if name, ok := m.Val.Text(); ok {
			switch m.Key {
			case "$anchor", "$dynamicAnchor":
				b.name("#"+name, n)
			case "$id", "id":
				b.name(strings.TrimSuffix(name, "#"), n)
				b.name(name, n)
			}
			continue
		}
		b.collect(m.Val)
	}
	for _, item := range n.Items {
		b.collect(item)
	}
}

func (b *Book) name(name string, n *Node) {
	if _, taken := b.anchors[name]; !taken {
		b.anchors[name] = n
	}
}

// pointer follows a JSON pointer (RFC 6901) in a fragment.
func (b *Book) pointer(n *Node, path string) *Node {
	if path == "" {
		return n
	}
	for part := range strings.SplitSeq(path[1:], "/") {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(unpercent(part))
		switch {
		case n == nil || n.Kind < Array:
			return nil
		case n.Kind == Object:
			n = b.Member(n, part)
		default:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(n.Items) {
				return nil
			}
			n = n.Items[i]
		}
	}
	return n
}

// Member is Node.Get, with an index for objects that are large: many references may
// lead into one.
func (b *Book) Member(n *Node, key string) *Node {
	if len(n.Members) < 32 {
		return n.Get(key)
	}
	index := b.indexes[n]
	if index == nil {
		index = make(map[string]*Node, len(n.Members))
		for _, m := range n.Members {
			index[m.Key] = m.Val
		}
		b.indexes[n] = index
	}
	return index[key]
}

// unpercent decodes %41 as A and leaves alone what is no such escape.
func unpercent(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(n))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
