package form

import (
	"bytes"
	"slices"
	"strconv"

	"wiretea/session/json/tree"
)

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
