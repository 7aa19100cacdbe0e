package jsonschema

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

// A book is a schema, with where its references lead.
type book struct {
	root    *node
	anchors map[string]*node
	indexes map[*node]map[string]*node // indexes are of large objects.
}

func newBook(root *node) *book {
	return &book{root: root, indexes: map[*node]map[string]*node{}}
}

// resolve finds what a reference names inside of the schema; nil where it is not
// there.
func (b *book) resolve(name string) *node {
	if strings.HasPrefix(name, "#/") || name == "#" {
		return b.pointer(b.root, strings.TrimPrefix(name, "#"))
	}
	if b.anchors == nil {
		b.anchors = map[string]*node{}
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
func (b *book) collect(n *node) {
	for _, m := range n.members {
		if name, ok := m.val.string(); ok {
			switch m.key {
			case "$anchor", "$dynamicAnchor":
				b.name("#"+name, n)
			case "$id", "id":
				b.name(strings.TrimSuffix(name, "#"), n)
				b.name(name, n)
			}
			continue
		}
		b.collect(m.val)
	}
	for _, item := range n.items {
		b.collect(item)
	}
}

func (b *book) name(name string, n *node) {
	if _, taken := b.anchors[name]; !taken {
		b.anchors[name] = n
	}
}

// pointer follows a JSON pointer (RFC 6901) in a fragment.
func (b *book) pointer(n *node, path string) *node {
	if path == "" {
		return n
	}
	for part := range strings.SplitSeq(path[1:], "/") {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(unpercent(part))
		switch {
		case n == nil || n.kind < array:
			return nil
		case n.kind == object:
			n = b.member(n, part)
		default:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(n.items) {
				return nil
			}
			n = n.items[i]
		}
	}
	return n
}

// member is node.get, with an index for objects that are large: many references
// may lead into one.
func (b *book) member(n *node, key string) *node {
	if len(n.members) < 32 {
		return n.get(key)
	}
	index := b.indexes[n]
	if index == nil {
		index = make(map[string]*node, len(n.members))
		for _, m := range n.members {
			index[m.key] = m.val
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

// nearest returns a float64 for the text of a number: never infinite, and zero
// for zero only.
func nearest(raw []byte) float64 {
	f, _ := strconv.ParseFloat(string(raw), 64) // out of range is infinite
	digits, _, _ := bytes.Cut(bytes.ToLower(raw), []byte("e"))
	if f == 0 && bytes.ContainsAny(digits, "123456789") {
		f = math.SmallestNonzeroFloat64
		if raw[0] == '-' {
			f = -f
		}
	}
	return max(-math.MaxFloat64, min(f, math.MaxFloat64))
}
