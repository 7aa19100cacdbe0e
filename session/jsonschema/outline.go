package jsonschema

import (
	"errors"
	"fmt"
	"strings"

	"wiretea/session/jsontree"
)

// An outline is where the subschemas of a schema stand and what they are called,
// in words that the library cannot read in another way: what it would have to do
// is worked out on it.
type outline struct {
	book    *jsontree.Book
	id      string                    // id is the root's $id, without an empty fragment; may be empty.
	schemas map[*jsontree.Node]bool   // schemas are all that the library knows as schemas.
	anchors map[string]*jsontree.Node // anchors are those with an $anchor or a $dynamicAnchor.
}

// others are the keywords with which a value is judged, and which lead to no
// subschemas.
var others = []string{
	"$id", "$anchor", "$dynamicAnchor", "type", "enum", "const",
	"multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "pattern",
	"minItems", "maxItems", "uniqueItems", "minContains", "maxContains",
	"minProperties", "maxProperties", "required", "dependentRequired",
}

// spelling gives the keywords as they are spelt, by what folded makes of them.
var spelling = func() map[string]string {
	out := map[string]string{}
	for name := range keywords {
		out[folded(name)] = name
	}
	for _, name := range others {
		out[folded(name)] = name
	}
	return out
}()

// folded returns the same for all words that encoding/json takes for the same
// name of a field: besides capitals, ſ and the Kelvin sign.
func folded(word string) string {
	return strings.ToLower(strings.ToUpper(word))
}

var errAmbiguous = errors.New("it is ambiguous")

// newOutline reads a schema. The error says which of its words can be read in
// different ways.
func newOutline(root *jsontree.Node) (*outline, error) {
	o := &outline{book: jsontree.NewBook(root), schemas: map[*jsontree.Node]bool{}, anchors: map[string]*jsontree.Node{}}
	id, _ := root.Get("$id").Text()
	o.id = strings.TrimSuffix(id, "#")
	return o, o.add(root)
}

func (o *outline) add(s *jsontree.Node) error {
	o.schemas[s] = true
	if s.Twice {
		return errAmbiguous
	}
	for i := range s.Members {
		m := &s.Members[i]
		if proper, ok := spelling[folded(m.Key)]; ok && proper != m.Key {
			return fmt.Errorf("%q is no keyword", m.Key)
		}
		var err error
		switch m.Key {
		case "$id":
			if s != o.book.Root() {
				err = errors.New("a part of it has its own $id")
			}
		case "$anchor", "$dynamicAnchor":
			name, _ := m.Val.Text()
			if o.anchors[name] != nil {
				err = errAmbiguous
			}
			o.anchors[name] = s
		default:
			err = o.addBelow(keywords[m.Key], m.Val)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addBelow adds the subschemas in a keyword's value.
func (o *outline) addBelow(how int, value *jsontree.Node) error {
	switch how {
	case 0, reference, unknown:
		return nil
	case aside, sameMap, belowMap, belowNamed:
		if value.Twice {
			return errAmbiguous
		}
	default:
		if value.Kind != jsontree.Array {
			return o.add(value)
		}
	}
	for _, child := range value.Children() {
		if err := o.add(child); err != nil {
			return err
		}
	}
	return nil
}

// resolve finds the subschema that a reference names; nil where the library may
// find another, or none.
func (o *outline) resolve(name string) *jsontree.Node {
	base, fragment, _ := strings.Cut(name, "#")
	if base != "" && base != o.id {
		return nil
	}
	if fragment != "" && fragment[0] != '/' {
		return o.anchors[fragment]
	}
	target := o.book.Resolve("#" + fragment)
	if !o.schemas[target] {
		return nil
	}
	return target
}
