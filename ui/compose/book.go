package compose

import (
	"strconv"
	"strings"
)

// A book makes shapes. It belongs to one goroutine.
type book struct {
	root    *value
	shapes  map[*value]*shape
	anchors map[string]*value
	indexes map[*value]map[string]*value // indexes are of large objects.
	opening map[*value]bool              // opening are the references that are followed at the moment.
}

func newBook(root *value) *book {
	return &book{root: root, shapes: map[*value]*shape{}, indexes: map[*value]map[string]*value{}, opening: map[*value]bool{}}
}

// maxNested is how far alternatives of alternatives are followed.
const maxNested = 3

// An alternative is a way to fill in what has several.
type alternative struct {
	word string // word is fit for the screen.
	sub  *ref
}

// alternatives returns what there is to choose from, those of an alternative in
// its place.
func (b *book) alternatives(s *shape) []alternative {
	if s.flat == nil && len(s.variants) > 0 {
		s.flat = b.flatten(nil, s, "", maxNested)
	}
	return s.flat
}

func (b *book) flatten(list []alternative, s *shape, before string, depth int) []alternative {
	for i, r := range s.variants {
		if len(list) >= maxVariants {
			break
		}
		word := before + s.variantWords[i]
		if open := b.openRef(r); len(open.variants) > 0 && depth > 0 {
			list = b.flatten(list, open, word+" · ", depth-1)
		} else {
			list = append(list, alternative{word, r})
		}
	}
	return list
}

// openRef returns the shape of a ref.
func (b *book) openRef(r *ref) *shape {
	if r.cache != nil {
		return r.cache
	}
	if r.base == nil && len(r.schemas) == 1 {
		if s := b.shapes[r.schemas[0]]; s != nil {
			r.cache = s
			return s
		}
	}
	if s := b.openSame(r); s != nil {
		return s
	}
	m := merging{book: b, left: maxMerged, shape: &shape{allowed: anyType, maxLength: -1, maxItems: -1, maxMembers: -1}}
	if r.base != nil {
		*m.shape = r.base.clone()
	}
	for _, v := range r.schemas {
		m.add(v, nil)
	}
	m.finish()
	r.cache = m.shape
	if r.base == nil && len(r.schemas) == 1 {
		b.shapes[r.schemas[0]] = m.shape
	}
	return m.shape
}

// annotations are the keywords that may stand beside a reference and change
// nothing of what it refers to.
var annotations = map[string]bool{"title": true, "description": true, "default": true, "deprecated": true, "examples": true,
	"$comment": true, "readOnly": true, "writeOnly": true}

// openSame returns the shape of a ref that only refers to another: it shares all
// that the other has. Nil where it does not. Without this, ten thousand
// references to an object of ten thousand members would be as many objects.
func (b *book) openSame(r *ref) *shape {
	if r.base != nil || len(r.schemas) != 1 || len(b.opening) >= maxChain {
		return nil
	}
	v := r.schemas[0]
	name, ok := v.get("$ref").text()
	if !ok || len(v.members) > 10 || b.opening[v] {
		return nil
	}
	target := b.resolve(name)
	if target == nil || target.kind != kindObject || b.opening[target] {
		return nil
	}
	for _, m := range v.members {
		if m.key != "$ref" && !annotations[m.key] {
			return nil
		}
	}
	b.opening[v] = true
	s := *b.openRef(&ref{schemas: []*value{target}})
	delete(b.opening, v)
	m := merging{book: b, shape: &s}
	for _, member := range v.members {
		m.word(member.key, member.val)
	}
	r.cache, b.shapes[v] = &s, &s
	return &s
}

// resolve finds what a reference names inside of the schema; nil where it is not
// there.
func (b *book) resolve(name string) *value {
	if strings.HasPrefix(name, "#/") || name == "#" {
		return b.pointer(b.root, strings.TrimPrefix(name, "#"))
	}
	if b.anchors == nil {
		b.anchors = map[string]*value{}
		b.collect(b.root)
	}
	if v := b.anchors[name]; v != nil {
		return v
	}
	if base, rest, ok := strings.Cut(name, "#"); ok && base != "" {
		if v := b.anchors[base]; v != nil && (rest == "" || rest[0] == '/') {
			return b.pointer(v, rest)
		}
	}
	return nil
}

// collect finds the names that subschemas give themselves.
func (b *book) collect(v *value) {
	for _, m := range v.members {
		if name, ok := m.val.text(); ok {
			switch m.key {
			case "$anchor", "$dynamicAnchor":
				b.name("#"+name, v)
			case "$id", "id":
				b.name(strings.TrimSuffix(name, "#"), v)
				b.name(name, v)
			}
			continue
		}
		b.collect(m.val)
	}
	for _, item := range v.items {
		b.collect(item)
	}
}

func (b *book) name(name string, v *value) {
	if _, taken := b.anchors[name]; !taken {
		b.anchors[name] = v
	}
}

// pointer follows a JSON pointer (RFC 6901) in a fragment.
func (b *book) pointer(v *value, path string) *value {
	if path == "" {
		return v
	}
	for part := range strings.SplitSeq(path[1:], "/") {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(unpercent(part))
		switch {
		case v == nil || v.kind < kindArray:
			return nil
		case v.kind == kindObject:
			v = b.member(v, part)
		default:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(v.items) {
				return nil
			}
			v = v.items[i]
		}
	}
	return v
}

// member is value.get, with an index for objects that are large: many references
// may lead into one.
func (b *book) member(v *value, key string) *value {
	if len(v.members) < 32 {
		return v.get(key)
	}
	index := b.indexes[v]
	if index == nil {
		index = make(map[string]*value, len(v.members))
		for _, m := range v.members {
			index[m.key] = m.val
		}
		b.indexes[v] = index
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
