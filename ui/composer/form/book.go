package form

import (
	"wiretea/session/json/schema"
	"wiretea/session/json/tree"
	"wiretea/session/lazy"
)

// A book makes shapes. It belongs to one goroutine.
type book struct {
	schema   *schema.Schema
	shapes   map[*tree.Node]*shape
	opening  map[*tree.Node]bool // opening are the references that are followed at the moment.
	left     int                 // left is how many parts more all shapes may have together.
	patience int64               // patience is how long names may still be held against patterns, in steps.
}

// Bounds of all shapes together. Without them, references to one large object
// would make a shape of its size each.
const (
	maxParts    = 500_000
	maxPatience = 2_500_000
)

// newBook returns the book of a schema, of any dialect.
func newBook(root *tree.Node) *book {
	s, _ := schema.Options{Lenient: true}.Read(root)
	return &book{schema: s, shapes: map[*tree.Node]*shape{}, opening: map[*tree.Node]bool{}, left: maxParts, patience: maxPatience}
}

// spend reports whether shapes may have so many parts more.
func (b *book) spend(n int) bool {
	if n > b.left {
		return false
	}
	b.left -= n
	return true
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
	m := merging{book: b, left: maxMerged, shape: &shape{
		allowed: anyType, maxLength: -1, maxItems: -1, maxMembers: -1, index: map[string]int{}, needs: map[string]bool{},
	}}
	if r.base != nil && b.spend(r.base.parts()) {
		*m.shape = r.base.clone()
	} else if r.base != nil {
		m.shape.why = tooInvolved
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

// annotations are the keywords that may be beside a reference and change
// nothing of what it refers to.
var annotations = lazy.Value[map[string]bool]{New: func() map[string]bool {
	return map[string]bool{"title": true, "description": true, "default": true, "deprecated": true, "examples": true,
		"$comment": true, "readOnly": true, "writeOnly": true}
}}

// openSame returns the shape of a ref that only refers to another: it shares all
// that the other has. Nil where it does not. Without this, ten thousand
// references to an object of ten thousand members would be as many objects.
func (b *book) openSame(r *ref) *shape {
	if r.base != nil || len(r.schemas) != 1 || len(b.opening) >= maxChain {
		return nil
	}
	v := r.schemas[0]
	if len(v.Members) > 10 || b.opening[v] {
		return nil
	}
	target := b.schema.Resolve(v.Get("$ref"))
	if target == nil || target.Kind != tree.Object || b.opening[target] {
		return nil
	}
	for _, m := range v.Members {
		if m.Key != "$ref" && !annotations.Get()[m.Key] {
			return nil
		}
	}
	b.opening[v] = true
	s := *b.openRef(&ref{schemas: []*tree.Node{target}})
	delete(b.opening, v)
	m := merging{book: b, shape: &s}
	for _, member := range v.Members {
		m.word(member.Key, member.Val)
	}
	r.cache, b.shapes[v] = &s, &s
	return &s
}
