package form

import (
	"bytes"
	"slices"

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

// fit says how well a value fits a shape: 0 is not at all.
func (b *book) fit(s *shape, v *tree.Node, depth int) int {
	if s.never || !s.allows(v) {
		return 0
	}
	score := 4
	if s.choices != nil && s.choiceOf(v.Raw) < 0 {
		return 0
	}
	if v.Kind != tree.Object || depth == 0 {
		return score
	}
	have := map[string]bool{}
	for _, member := range v.Members[:min(len(v.Members), 200)] {
		have[member.Key] = true
		i, known := s.index[member.Key]
		switch {
		case known:
			sub := b.openRef(s.props[i].sub)
			switch fits := b.fit(sub, member.Val, depth-1) > 0; {
			case !fits && sub.fixed:
				return 1 // It is the member that tells the alternatives apart.
			case !fits:
				score--
			case sub.fixed:
				score += 6
			default:
				score += 2
			}
		case s.closed:
			score--
		}
	}
	for _, name := range s.required {
		if !have[name] {
			return min(score, 2)
		}
	}
	return max(score, 3)
}

// allows reports whether the type of a value is one that the shape allows.
func (s *shape) allows(v *tree.Node) bool {
	switch {
	case v.Kind == tree.Null && s.nullable:
		return true
	case v.Kind == tree.Number && s.allowed&typeNumber == 0:
		return s.allowed&typeInteger != 0 && schema.IsInteger(v.Raw)
	}
	return s.allowed&kinds[v.Kind].types != 0
}

// kinds are the types that a kind of value has, and how values of them are filled in.
var kinds = [...]struct {
	types  types
	manner manner
}{
	tree.Null: {typeNull, asNull}, tree.Bool: {typeBool, asBool}, tree.Number: {typeInteger | typeNumber, asNumber},
	tree.String: {typeString, asText}, tree.Array: {typeArray, asArray}, tree.Object: {typeObject, asObject},
}

// manner is how a value of a type is filled in. A value without a type is raw JSON.
func (t types) manner() manner {
	for _, k := range kinds {
		if t&k.types != 0 {
			return k.manner
		}
	}
	return asRaw
}

// manner is how a value of this shape is filled in.
func (s *shape) manner() manner {
	if s.why != "" || s.never {
		return asRaw
	}
	if s.choices != nil {
		return asChoice
	}
	first := s.first
	if first == 0 || first&s.allowed == 0 {
		first = 0
		if s.named {
			for _, n := range typeNames {
				if s.allowed&n.t != 0 {
					first = n.t
					break
				}
			}
		}
	}
	return first.manner()
}

// holds is how a value is filled in that is there already.
func (s *shape) holds(v *tree.Node) manner {
	switch {
	case s.why != "" || s.never || v.Deep:
		return asRaw
	case s.choices != nil && s.choiceOf(v.Raw) >= 0:
		return asChoice
	case v.Kind == tree.Null, v.Kind == tree.Bool:
	case s.allowed&kinds[v.Kind].types == 0,
		v.Kind == tree.Array && s.first == 0 && !s.arrayWords,
		v.Kind == tree.Object && s.first == 0 && !s.objectWords && !s.named:
		return asRaw
	}
	return kinds[v.Kind].manner
}

// choiceOf finds a value among the choices; -1 where it is none.
func (s *shape) choiceOf(raw []byte) int {
	return slices.IndexFunc(s.choices, func(c choice) bool { return bytes.Equal(c.raw, raw) })
}
