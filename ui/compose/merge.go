package compose

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
)

// A merging puts subschemas that all hold into one shape.
type merging struct {
	book  *book
	shape *shape
	left  int // left is how many more subschemas it takes.
}

// add puts a subschema into the shape. chain are those that led to it.
func (m *merging) add(v *value, chain []*value) {
	s := m.shape
	if m.left--; m.left < 0 || len(chain) > maxChain {
		s.why = "the schema is too involved for a form"
		return
	}
	switch {
	case v.kind == kindBool:
		s.never = s.never || v.raw[0] == 'f'
		return
	case v.kind != kindObject || v.deep:
		s.why = "its schema is no schema"
		if v.deep {
			s.why = "its schema is nested too deep for a form"
		}
		return
	case slices.Contains(chain, v):
		return // It refers to itself and says nothing more.
	}
	chain = append(chain, v)
	for _, name := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
		m.refer(v.get(name), chain)
	}
	if all := v.get("allOf"); all != nil {
		for _, sub := range all.items {
			m.add(sub, chain)
		}
	}
	for i := range v.members {
		m.word(v.members[i].key, v.members[i].val)
	}
	m.names(v.get("enumNames"))
	for _, name := range []string{"oneOf", "anyOf"} {
		if list := v.get(name); list != nil {
			m.alternatives(list.items, chain)
		}
	}
	m.object(v)
	m.array(v)
}

func (m *merging) refer(v *value, chain []*value) {
	name, ok := v.text()
	if !ok {
		return
	}
	if target := m.book.resolve(name); target != nil {
		m.add(target, chain)
		return
	}
	m.shape.why = "its schema is not here: " + inline(name, maxName)
}

// word takes a keyword that stands for itself. What is outside counts, where the
// schema describes the same thing twice.
func (m *merging) word(key string, v *value) {
	s := m.shape
	switch text, isText := v.text(); key {
	case "title":
		setText(&s.title, inline(text, maxName))
	case "description":
		setText(&s.about, visible(text, maxAbout))
	case "type":
		m.types(v)
	case "default":
		s.initial = v.raw
	case "const":
		m.choose([]choice{{raw: v.raw, label: label(v)}})
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
			s.patterns = append(s.patterns, pattern{inline(text, maxName), compilePattern(text)})
			s.textWords = true
		}
	case "deprecated":
		s.deprecated = s.deprecated || v.raw[0] == 't'
	case "writeOnly":
		s.secret = s.secret || v.raw[0] == 't'
	case "uniqueItems":
		s.unique = s.unique || v.raw[0] == 't'
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
func (m *merging) limit(key string, v *value) {
	if v.kind != kindNumber {
		return
	}
	s := m.shape
	n, err := strconv.Atoi(string(v.raw))
	switch key {
	case "minimum":
		s.least, s.numberWords = v.raw, true
	case "maximum":
		s.most, s.numberWords = v.raw, true
	case "exclusiveMinimum":
		s.above, s.numberWords = v.raw, true
	case "exclusiveMaximum":
		s.below, s.numberWords = v.raw, true
	case "multipleOf":
		s.step, s.numberWords = v.raw, true
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

// compilePattern compiles a pattern; nil for one that Go does not know, which
// JavaScript may.
func compilePattern(source string) *regexp.Regexp {
	if len(source) > maxRegexp {
		return nil
	}
	re, err := regexp.Compile(source)
	if err != nil {
		return nil
	}
	return re
}

func (m *merging) types(v *value) {
	s := m.shape
	list := []*value{v}
	if v.kind == kindArray {
		list = v.items
	}
	var set types
	for _, item := range list {
		name, _ := item.text()
		t := typeNamed(name)
		if t == typeNumber {
			set |= typeInteger
		}
		if set |= t; s.first&^typeNull == 0 {
			s.first = t
		}
	}
	if set == 0 {
		s.why = "its schema names no type of JSON"
		return
	}
	s.allowed &= set
	s.named = true
}

func label(v *value) string {
	if text, ok := v.text(); ok && text != "" {
		return inline(text, maxName)
	}
	return inline(string(v.raw), maxName)
}

func (m *merging) enum(v *value) {
	if len(v.items) == 0 {
		return
	}
	var list []choice
	for _, item := range v.items[:min(len(v.items), maxChoices)] {
		list = append(list, choice{raw: item.raw, label: label(item)})
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
			m.shape.why = "its schema allows no value"
			return
		}
	}
	m.shape.choices = list
}

// names takes the titles of an enum's values: enumNames, in the order of enum.
func (m *merging) names(v *value) {
	if v == nil {
		return
	}
	for i := range min(len(v.items), len(m.shape.choices)) {
		if text, ok := v.items[i].text(); ok && text != "" {
			m.shape.choices[i].label = inline(text, maxName)
		}
	}
}

// object takes the keywords of objects.
func (m *merging) object(v *value) {
	s := m.shape
	if props := v.get("properties"); props != nil && props.kind == kindObject {
		s.objectWords = true
		for i := range props.members {
			m.prop(&props.members[i])
		}
	}
	if list := v.get("required"); list != nil {
		for _, item := range list.items {
			if name, ok := item.text(); ok && !s.needs[name] {
				s.required = append(s.required, name)
				s.need(name)
			}
		}
	}
	if rest := v.get("additionalProperties"); rest != nil {
		s.objectWords = true
		switch {
		case rest.kind == kindBool && rest.raw[0] == 'f':
			s.closed = true
		case rest.kind == kindObject:
			s.open, s.rest = true, &ref{schemas: []*value{rest}}
		default:
			s.open = true
		}
	}
	if list := v.get("patternProperties"); list != nil && list.kind == kindObject {
		s.objectWords, s.open = true, true
		for _, p := range list.members[:min(len(list.members), maxVariants)] {
			s.keys = append(s.keys, keyed{compilePattern(p.key), &ref{schemas: []*value{p.val}}})
		}
	}
}

func (m *merging) prop(p *member) {
	s := m.shape
	if i, ok := s.index[p.key]; ok {
		old := s.props[i].sub
		s.props[i].sub = &ref{base: old.base, schemas: append(slices.Clone(old.schemas), p.val)}
		return
	}
	if len(s.props) >= maxProps {
		s.cut = true
		return
	}
	s.put(p.key, len(s.props))
	s.props = append(s.props, prop{p.key, p.raw, &ref{schemas: []*value{p.val}}})
}

// array takes the keywords of arrays, those of draft-07 too.
func (m *merging) array(v *value) {
	s := m.shape
	prefix, items, rest := v.get("prefixItems"), v.get("items"), v.get("additionalItems")
	if items != nil && items.kind == kindArray {
		prefix, items = items, rest
	}
	if prefix != nil {
		s.arrayWords = true
		for _, item := range prefix.items[:min(len(prefix.items), maxVariants)] {
			s.prefix = append(s.prefix, &ref{schemas: []*value{item}})
		}
	}
	if items == nil {
		return
	}
	s.arrayWords = true
	if items.kind == kindBool {
		s.noItems = s.noItems || items.raw[0] == 'f'
		return
	}
	s.items = &ref{schemas: []*value{items}}
}

// finish draws the conclusions.
func (m *merging) finish() {
	s := m.shape
	if !s.named {
		m.infer()
	}
	s.extra = nil
	for _, name := range s.required {
		if _, named := s.index[name]; !named {
			s.extra = append(s.extra, name)
		}
	}
	if s.allowed == 0 && s.why == "" {
		s.why = "its schema allows no type"
	}
	if len(s.variants) > 0 {
		m.expand()
	}
}

// infer finds the type of a schema that names none.
func (m *merging) infer() {
	s := m.shape
	switch {
	case s.objectWords:
		s.first = typeObject
	case s.arrayWords:
		s.first = typeArray
	case s.textWords:
		s.first = typeString
	case s.numberWords:
		s.first = typeNumber
	}
}
