package jsonschema

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxExplained is how many subschemas and values are looked at for the place of
// what is wrong.
const maxExplained = 5000

// An explaining looks for the place of what is wrong with a value that the
// library has refused. It knows less than the library, and says nothing of what
// it does not know.
type explaining struct {
	schema *Schema
	left   int
	path   []string
}

// explain returns the first thing that is wrong; nil where it does not find it.
func (s *Schema) explain(v *node) *Problem {
	e := explaining{schema: s, left: maxExplained}
	return e.at(s.book.root, v)
}

func (e *explaining) say(format string, args ...any) *Problem {
	return &Problem{Path: slices.Clone(e.path), Text: fmt.Sprintf(format, args...)}
}

func (e *explaining) below(name string, s, v *node) *Problem {
	e.path = append(e.path, name)
	p := e.at(s, v)
	e.path = e.path[:len(e.path)-1]
	return p
}

func (e *explaining) at(s, v *node) *Problem {
	if e.left--; e.left < 0 || s == nil {
		return nil
	}
	if s.kind == boolean && s.raw[0] == 'f' {
		return e.say("is nothing that the schema allows")
	}
	if s.kind != object {
		return nil
	}
	if name, ok := s.get("$ref").string(); ok {
		if p := e.at(e.schema.book.resolve(name), v); p != nil || e.schema.draft7 {
			return p
		}
	}
	if p := e.itself(s, v); p != nil {
		return p
	}
	if all := s.get("allOf"); all.is(array) {
		for _, sub := range all.items {
			if p := e.at(sub, v); p != nil {
				return p
			}
		}
	}
	switch v.kind {
	case object:
		if p := e.object(s, v); p != nil {
			return p
		}
	case array:
		if p := e.array(s, v); p != nil {
			return p
		}
	case null, boolean, number, text:
	}
	return e.alone(s, v)
}

// itself looks at the keywords that are about the value and nothing in it.
func (e *explaining) itself(s, v *node) *Problem {
	if types := s.get("type"); types != nil && !allows(types, v) {
		return e.say("is %s, must be %s", kindWords[v.kind], typeWords(types))
	}
	if list := s.get("enum"); list.is(array) && v.kind < array && !slices.ContainsFunc(list.items, func(c *node) bool { return equal(c, v) }) {
		return e.say("must be one of %s", listed(list.items))
	}
	if c := s.get("const"); c != nil && v.kind < array && !equal(c, v) {
		return e.say("must be %s", c.raw)
	}
	return nil
}

func (e *explaining) object(s, v *node) *Problem {
	if names := s.get("required"); names.is(array) {
		for _, n := range names.items {
			if name, ok := n.string(); ok && v.get(name) == nil {
				e.path = append(e.path, name)
				p := e.say("is required")
				e.path = e.path[:len(e.path)-1]
				return p
			}
		}
	}
	rest := s.get("additionalProperties")
	if s.get("patternProperties") != nil {
		rest = nil
	}
	for i := range v.members {
		m := &v.members[i]
		sub := s.get("properties").get(m.key)
		if sub == nil && rest.is(boolean) && rest.raw[0] == 'f' {
			e.path = append(e.path, m.key)
			p := e.say("is no member that the schema knows")
			e.path = e.path[:len(e.path)-1]
			return p
		}
		if sub == nil {
			sub = rest
		}
		if p := e.below(m.key, sub, m.val); p != nil {
			return p
		}
	}
	return nil
}

func (e *explaining) array(s, v *node) *Problem {
	first, rest := s.get("prefixItems"), s.get("items")
	if rest.is(array) {
		first, rest = rest, nil
	}
	for i, item := range v.items {
		sub := rest
		if first.is(array) && i < len(first.items) {
			sub = first.items[i]
		}
		if p := e.below(strconv.Itoa(i), sub, item); p != nil {
			return p
		}
	}
	return nil
}

// alone asks the library about one subschema, where it refers to nothing and says
// more than was looked at.
func (e *explaining) alone(s, v *node) *Problem {
	if len(e.path) == 0 || e.schema.fraction || len(s.raw) > 4<<10 || len(v.raw) > 4<<10 || bytes.Contains(s.raw, []byte(`$ref"`)) {
		return nil
	}
	sub, err := Compile(s.raw)
	if err != nil {
		return nil
	}
	if sub.resolved.Validate(v.decoded()) == nil {
		return nil
	}
	p := located(sub.resolved.Validate(v.decoded()).Error())
	return &Problem{Path: append(slices.Clone(e.path), p.Path...), Text: p.Text}
}

// allows reports whether a type keyword lets a value be. What it does not
// understand allows everything.
func allows(types, v *node) bool {
	list := types.items
	if types.kind == text {
		list = []*node{types}
	}
	for _, t := range list {
		name, _ := t.string()
		want, known := typeKinds[name]
		if !known || want == v.kind && (name != "integer" || whole(v.raw)) {
			return true
		}
	}
	return len(list) == 0
}

var typeKinds = map[string]kind{"null": null, "boolean": boolean, "number": number, "integer": number, "string": text, "array": array, "object": object}

func typeWords(types *node) string {
	if name, ok := types.string(); ok {
		return name
	}
	var words []string
	for _, t := range types.items {
		name, _ := t.string()
		words = append(words, name)
	}
	return strings.Join(words, " or ")
}

// whole reports whether a number is one of the integers: 1, 1.0, 1e3.
func whole(raw []byte) bool {
	f := nearest(raw)
	return f == float64(int64(f)) || f > exact || f < -exact
}

// equal compares scalars.
func equal(a, b *node) bool {
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case number:
		return nearest(a.raw) == nearest(b.raw)
	case text:
		return unquote(a.raw) == unquote(b.raw)
	case null, boolean, array, object:
	}
	return bytes.Equal(a.raw, b.raw)
}

func listed(items []*node) string {
	var words []string
	for _, c := range items[:min(len(items), 6)] {
		words = append(words, string(c.raw))
	}
	if len(items) > 6 {
		words = append(words, "…")
	}
	return strings.Join(words, ", ")
}
