package form

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"

	"wiretea/session/json/tree"
	"wiretea/session/text"
)

// Bounds of what is read of a schema.
const (
	maxMerged   = 2000   // subschemas that are merged into one shape
	maxChain    = 64     // references and allOf that lead from one to the next
	maxProps    = 20_000 // members of an object that get fields
	maxVariants = 100    // alternatives of a oneOf or anyOf
	maxChoices  = 5000   // values of an enum that are offered
	maxAbout    = 4000   // characters of a description
	maxName     = 100    // characters of a name or a choice
)

// types is a set of JSON types.
type types uint8

const (
	typeNull types = 1 << iota
	typeBool
	typeInteger
	typeNumber
	typeString
	typeArray
	typeObject
	anyType types = 1<<7 - 1
)

type typeName struct {
	t    types
	name string
}

var typeNames = []typeName{{typeString, "string"}, {typeInteger, "integer"}, {typeNumber, "number"}, {typeBool, "boolean"}, {typeArray, "array"}, {typeObject, "object"}, {typeNull, "null"}}

// words writes the types for people: "string or null".
func (t types) words() string {
	var words []string
	for _, n := range typeNames {
		if t&n.t != 0 && (n.t != typeInteger || t&typeNumber == 0) {
			words = append(words, n.name)
		}
	}
	return strings.Join(words, " or ")
}

// A ref is where a shape comes from: subschemas that all hold, on top of a base.
type ref struct {
	base    *shape // base is what holds beside them, nil = nothing.
	schemas []*tree.Node
	cache   *shape
}

// A shape is what a form knows of a schema, references followed and allOf
// merged. It never changes once it is made, but for the caches of its refs.
type shape struct {
	title, about string // title and about are fit for the screen.
	allowed      types
	first        types // first is the first type that the schema names, 0 = none.
	named        bool  // named: the schema says which types there are.
	nullable     bool  // nullable: an alternative is null and nothing else.
	never        bool  // never: the schema is false.
	deprecated   bool
	secret       bool
	why          string // why is why there is raw JSON only, empty = there is not.

	choices  []choice // choices are the only values, nil = any.
	fixed    bool     // fixed: there is one choice, a const.
	initial  []byte   // initial is the default, nil = none.
	format   string
	patterns []string // patterns are fit for the screen.

	least, most             []byte // least and most are limits of a number; nil = none,
	above, below, step      []byte // exclusive ones, and what it is a multiple of.
	minLength, maxLength    int    // maxLength is -1 for none, as are those below.
	minItems, maxItems      int
	minMembers, maxMembers  int
	unique                  bool
	props                   []prop
	index                   map[string]int // index finds in props.
	cut                     bool           // cut: there are more than maxProps.
	required                []string
	extra                   []string        // extra are those of required that are not among props.
	needs                   map[string]bool // needs is required as a set.
	open                    bool            // open: further members are asked for.
	closed                  bool            // closed: there are none but props and those that match keys.
	rest                    *ref            // rest is what further members are; nil = anything.
	keys                    []keyed         // keys are further members by pattern.
	prefix                  []*ref          // prefix are the first items, items the others.
	items                   *ref
	noItems                 bool // noItems: there are no items but prefix.
	variants                []*ref
	variantWords            []string
	flat                    []alternative // flat is what book.alternatives made of variants.
	objectWords, arrayWords bool          // It has words that say it is an object, or an array,
	textWords, numberWords  bool          // a string, or a number, though it may name no type.
}

type prop struct {
	name string
	raw  []byte // raw is the name as JSON.
	sub  *ref
}

type choice struct {
	raw   []byte
	label string // label is fit for the screen.
}

type keyed struct {
	pattern string
	sub     *ref
}

// tooInvolved is why a shape is raw JSON only that would be too large.
const tooInvolved = "the schema is too complex for a form"

// parts is how much is copied with a shape.
func (s *shape) parts() int {
	return 1 + len(s.props) + len(s.required) + len(s.patterns) + len(s.keys)
}

// clone copies a shape to put more into it, without its alternatives.
func (s *shape) clone() shape {
	c := *s
	c.variants, c.variantWords, c.flat = nil, nil, nil
	c.patterns, c.keys = slices.Clone(s.patterns), slices.Clone(s.keys)
	c.props, c.required = slices.Clone(s.props), slices.Clone(s.required)
	c.index, c.needs = maps.Clone(s.index), maps.Clone(s.needs)
	return c
}

// prop returns what a member of a shape's object is, and whether there may be one
// of that name.
func (b *book) prop(s *shape, name string) (*ref, bool) {
	if i, ok := s.index[name]; ok {
		return s.props[i].sub, true
	}
	for _, k := range s.keys {
		// A name matches where that is not known, or would take too long.
		if matches, known := b.schema.Matches(k.pattern, name, &b.patience); matches || !known {
			return k.sub, true
		}
	}
	if s.rest != nil {
		return s.rest, true
	}
	return &ref{}, !s.closed
}

// item returns what the item i of the shape's array is.
func (s *shape) item(i int) *ref {
	switch {
	case i < len(s.prefix):
		return s.prefix[i]
	case s.items != nil:
		return s.items
	}
	return &ref{}
}

// visible makes text of a peer fit for the screen, line by line, without
// reading more of it than is shown.
func visible(words string, most int) string {
	if len(words) > 4*most {
		words = strings.ToValidUTF8(words[:4*most], "") + "…"
	}
	var out []string
	for line := range strings.Lines(strings.TrimSpace(words)) {
		out = append(out, text.Visible([]byte(strings.TrimRight(line, "\r\n")), most))
	}
	return strings.Join(out, "\n")
}

// inline is visible for a text that must fit into one line.
func inline(words string, most int) string {
	if len(words) > 4*most {
		words = strings.ToValidUTF8(words[:4*most], "") + "…"
	}
	return text.Visible([]byte(words), most)
}

// alternatives takes a oneOf or an anyOf. Values with titles are choices, a null
// beside one other is the other that may be null, and what only says which
// members go together is left to the validation.
func (m *merging) alternatives(list []*tree.Node, chain []*tree.Node) {
	s := m.shape
	var others []*tree.Node
	null := false
	for _, v := range list {
		if t, _ := v.Get("type").Text(); t == "null" && len(v.Members) <= 2 {
			null = true
		} else {
			others = append(others, v)
		}
	}
	if choices := titled(list); choices != nil {
		m.choose(choices)
		return
	}
	switch {
	case len(others) == 0 || !slices.ContainsFunc(others, shapes):
		return
	case len(others) == 1:
		m.add(others[0], chain)
	case s.variants == nil:
		for _, v := range others[:min(len(others), maxVariants)] {
			s.variants = append(s.variants, &ref{schemas: []*tree.Node{v}})
		}
	}
	s.nullable = s.nullable || null
}

// titled returns the values of alternatives that are all const, or enum of one;
// nil where they are not.
func titled(list []*tree.Node) []choice {
	var out []choice
	for _, v := range list[:min(len(list), maxChoices)] {
		c := v.Get("const")
		if e := v.Get("enum"); c == nil && e != nil && len(e.Items) == 1 {
			c = e.Items[0]
		}
		if c == nil || v.Get("properties") != nil {
			return nil
		}
		item := choice{raw: c.Raw, label: label(c)}
		for _, key := range []string{"description", "title"} {
			if text, ok := v.Get(key).Text(); ok && text != "" {
				item.label = inline(text, maxName)
			}
		}
		out = append(out, item)
	}
	return out
}

// shapes reports whether a subschema says what a value looks like, and not only
// which members it must have.
func shapes(v *tree.Node) bool {
	if v.Kind != tree.Object {
		return false
	}
	return slices.ContainsFunc(v.Members, func(m tree.Member) bool {
		switch m.Key {
		case "required", "not", "title", "description", "$comment", "if", "then", "else", "dependentRequired":
			return false
		}
		return true
	})
}

// expand puts the alternatives on top of what holds anyway, and takes the
// alternatives of an alternative in its place.
func (m *merging) expand() {
	s, list := m.shape, m.shape.variants
	s.variants = nil
	if !m.book.spend(s.parts() + len(list)) {
		s.why = tooInvolved
		return
	}
	base := s.clone()
	for _, r := range list {
		r.base = &base
		s.variants = append(s.variants, r)
		s.variantWords = append(s.variantWords, m.variantWord(r.schemas[0], len(s.variants)))
	}
}

// variantWord names an alternative: by its title, what it refers to, a member
// that is constant, or its type.
func (m *merging) variantWord(v *tree.Node, n int) string {
	if text, ok := v.Get("title").Text(); ok && text != "" {
		return inline(text, maxName)
	}
	if text, ok := v.Get("$ref").Text(); ok {
		if i := bytes.LastIndexByte([]byte(text), '/'); i >= 0 && i+1 < len(text) {
			return inline(text[i+1:], maxName)
		}
	}
	if props := v.Get("properties"); props != nil {
		for _, p := range props.Members[:min(len(props.Members), 20)] {
			if c := p.Val.Get("const"); c != nil {
				return inline(p.Key+" "+label(c), maxName)
			}
		}
	}
	if text, ok := v.Get("type").Text(); ok {
		word := inline(text, 20)
		if items, ok := v.Get("items").Get("type").Text(); ok {
			word += " of " + inline(items, 20)
		}
		if f, ok := v.Get("format").Text(); ok {
			word += ", " + inline(f, 20)
		}
		return word
	}
	return "variant " + strconv.Itoa(n)
}
