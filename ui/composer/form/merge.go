package form

import (
	"bytes"
	"slices"
	"strconv"

	"wiretea/session/json/tree"
)

// A merging puts subschemas that all hold into one shape.
type merging struct {
	book  *book
	shape *shape
	left  int // left is how many more subschemas it takes.
}

// add puts a subschema into the shape. chain are those that led to it.
func (m *merging) add(v *tree.Node, chain []*tree.Node) {
	s := m.shape
	if m.left--; m.left < 0 || len(chain) > maxChain {
		s.why = tooInvolved
		return
	}
	switch {
	case v.Kind == tree.Bool:
		s.never = s.never || v.Raw[0] == 'f'
		return
	case v.Kind != tree.Object || v.Deep:
		s.why = "the schema is not valid"
		if v.Deep {
			s.why = "the schema is nested too deep for a form"
		}
		return
	case slices.Contains(chain, v):
		return // It refers to itself and says nothing more.
	}
	chain = append(chain, v)
	for _, name := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
		ref := v.Get(name)
		target := m.book.schema.Resolve(ref)
		if to, ok := ref.Text(); ok && target != nil {
			m.add(target, chain)
		} else if ok {
			s.why = "the schema refers to one outside of it: " + inline(to, maxName)
		}
	}
	if all := v.Get("allOf"); all != nil {
		for _, sub := range all.Items {
			m.add(sub, chain)
		}
	}
	for i := range v.Members {
		m.word(v.Members[i].Key, v.Members[i].Val)
	}
	if names := v.Get("enumNames"); names != nil { // the titles of an enum's values, in the order of enum
		for i := range min(len(names.Items), len(m.shape.choices)) {
			text, _ := names.Items[i].Text()
			setText(&m.shape.choices[i].label, inline(text, maxName))
		}
	}
	for _, name := range []string{"oneOf", "anyOf"} {
		if list := v.Get(name); list != nil {
			m.alternatives(list.Items, chain)
		}
	}
	m.object(v)
	m.array(v)
}

// word takes a keyword that needs no other. The outer schema counts, where the
// schema describes the same thing twice.
func (m *merging) word(key string, v *tree.Node) {
	s := m.shape
	switch text, isText := v.Text(); key {
	case "title":
		setText(&s.title, inline(text, maxName))
	case "description":
		setText(&s.about, visible(text, maxAbout))
	case "type":
		m.types(v)
	case "default":
		s.initial = v.Raw
	case "const":
		m.choose([]choice{{raw: v.Raw, label: label(v)}})
		s.fixed = true
	case "enum":
		m.enum(v)
	case "format":
		if isText {
			s.format = text
			s.secret = s.secret || text == "password"
		}
	case "pattern":
		if isText {
			s.patterns = append(s.patterns, inline(text, maxName))
			s.textWords = true
		}
	case "deprecated":
		s.deprecated = s.deprecated || v.Raw[0] == 't'
	case "writeOnly":
		s.secret = s.secret || v.Raw[0] == 't'
	case "uniqueItems":
		s.unique = s.unique || v.Raw[0] == 't'
	default:
		m.limit(key, v)
	}
}

func setText(dst *string, text string) {
	if text != "" {
		*dst = text
	}
}

// limit takes a keyword with a number.
func (m *merging) limit(key string, v *tree.Node) {
	if v.Kind != tree.Number {
		return
	}
	s := m.shape
	n, err := strconv.Atoi(string(v.Raw))
	if limit := map[string]*[]byte{"minimum": &s.least, "maximum": &s.most, "exclusiveMinimum": &s.above, "exclusiveMaximum": &s.below, "multipleOf": &s.step}[key]; limit != nil {
		*limit, s.numberWords = v.Raw, true
	}
	if err != nil || n < 0 {
		return
	}
	switch key {
	case "minLength":
		s.minLength, s.textWords = max(s.minLength, n), true
	case "maxLength":
		s.maxLength, s.textWords = tighter(s.maxLength, n), true
	case "minItems":
		s.minItems, s.arrayWords = max(s.minItems, n), true
	case "maxItems":
		s.maxItems, s.arrayWords = tighter(s.maxItems, n), true
	case "minProperties":
		s.minMembers, s.objectWords = max(s.minMembers, n), true
	case "maxProperties":
		s.maxMembers, s.objectWords = tighter(s.maxMembers, n), true
	}
}

func tighter(old, n int) int {
	if old < 0 {
		return n
	}
	return min(old, n)
}

func (m *merging) types(v *tree.Node) {
	s := m.shape
	list := []*tree.Node{v}
	if v.Kind == tree.Array {
		list = v.Items
	}
	var set types
	for _, item := range list {
		name, _ := item.Text()
		var t types
		if i := slices.IndexFunc(typeNames, func(n typeName) bool { return n.name == name }); i >= 0 {
			t = typeNames[i].t
		}
		if t == typeNumber {
			set |= typeInteger
		}
		if set |= t; s.first&^typeNull == 0 {
			s.first = t
		}
	}
	if set == 0 {
		s.why = "the schema names an unknown type"
		return
	}
	s.allowed &= set
	s.named = true
}

func label(v *tree.Node) string {
	if text, ok := v.Text(); ok && text != "" {
		return inline(text, maxName)
	}
	return inline(string(v.Raw), maxName)
}

func (m *merging) enum(v *tree.Node) {
	if len(v.Items) == 0 {
		return
	}
	items := v.Items[:min(len(v.Items), maxChoices)]
	if !m.book.spend(len(items)) {
		m.shape.why = tooInvolved
		return
	}
	var list []choice
	for _, item := range items {
		list = append(list, choice{raw: item.Raw, label: label(item)})
	}
	m.choose(list)
}

// choose keeps the values that were possible before.
func (m *merging) choose(list []choice) {
	if m.shape.choices != nil {
		list = slices.DeleteFunc(list, func(c choice) bool {
			return !slices.ContainsFunc(m.shape.choices, func(d choice) bool { return bytes.Equal(c.raw, d.raw) })
		})
		if len(list) == 0 {
			m.shape.why = "the schema allows no value"
			return
		}
	}
	m.shape.choices = list
}

// object takes the keywords of objects.
func (m *merging) object(v *tree.Node) {
	s := m.shape
	if props := v.Get("properties"); props != nil && props.Kind == tree.Object {
		s.objectWords = true
		for i := range props.Members {
			m.prop(&props.Members[i])
		}
	}
	if list := v.Get("required"); list != nil {
		for _, item := range list.Items {
			if name, ok := item.Text(); ok && !s.needs[name] && m.book.spend(1) {
				s.required = append(s.required, name)
				s.needs[name] = true
			}
		}
	}
	if rest := v.Get("additionalProperties"); rest != nil {
		s.objectWords = true
		switch {
		case rest.Kind == tree.Bool && rest.Raw[0] == 'f':
			s.closed = true
		case rest.Kind == tree.Object:
			s.open, s.rest = true, &ref{schemas: []*tree.Node{rest}}
		default:
			s.open = true
		}
	}
	if list := v.Get("patternProperties"); list != nil && list.Kind == tree.Object {
		s.objectWords, s.open = true, true
		for _, p := range list.Members[:min(len(list.Members), maxVariants)] {
			if m.book.spend(1) {
				s.keys = append(s.keys, keyed{p.Key, &ref{schemas: []*tree.Node{p.Val}}})
			}
		}
	}
}

func (m *merging) prop(p *tree.Member) {
	s := m.shape
	if i, ok := s.index[p.Key]; ok {
		old := s.props[i].sub
		s.props[i].sub = &ref{base: old.base, schemas: append(slices.Clone(old.schemas), p.Val)}
		return
	}
	if len(s.props) >= maxProps || !m.book.spend(1) {
		s.cut = true
		return
	}
	s.index[p.Key] = len(s.props)
	s.props = append(s.props, prop{p.Key, p.Raw, &ref{schemas: []*tree.Node{p.Val}}})
}

// array takes the keywords of arrays, those of draft-07 too.
func (m *merging) array(v *tree.Node) {
	s := m.shape
	prefix, items, rest := v.Get("prefixItems"), v.Get("items"), v.Get("additionalItems")
	if items != nil && items.Kind == tree.Array {
		prefix, items = items, rest
	}
	if prefix != nil {
		s.arrayWords = true
		for _, item := range prefix.Items[:min(len(prefix.Items), maxVariants)] {
			s.prefix = append(s.prefix, &ref{schemas: []*tree.Node{item}})
		}
	}
	if items == nil {
		return
	}
	s.arrayWords = true
	if items.Kind == tree.Bool {
		s.noItems = s.noItems || items.Raw[0] == 'f'
		return
	}
	s.items = &ref{schemas: []*tree.Node{items}}
}

// finish draws the conclusions.
func (m *merging) finish() {
	s := m.shape
	switch { // A schema that names no type may say by its words what it describes.
	case s.named:
	case s.objectWords:
		s.first = typeObject
	case s.arrayWords:
		s.first = typeArray
	case s.textWords:
		s.first = typeString
	case s.numberWords:
		s.first = typeNumber
	}
	s.extra = nil
	for _, name := range s.required {
		if _, named := s.index[name]; !named {
			s.extra = append(s.extra, name)
		}
	}
	if s.allowed == 0 && s.why == "" {
		s.why = "the schema allows no type"
	}
	if len(s.variants) > 0 {
		m.expand()
	}
}
