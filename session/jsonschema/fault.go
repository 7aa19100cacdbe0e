package jsonschema

import (
	"slices"
	"strconv"
	"strings"
)

// Fault returns what is wrong with a schema as such, nil where nothing is known
// to be. It looks at what the dialects from draft-06 to 2020-12 agree on; of
// booleans where a later draft wants a number, of lists of items and of patterns
// it says nothing, nor of schemas of other dialects or of more than 4 MiB.
func Fault(b []byte) *Problem {
	root := readable(b)
	if root == nil {
		return nil
	}
	f := faulting{book: newBook(root), ids: hasIDs(root)}
	f.schema(root)
	return f.found
}

// RemoteRef returns the first $ref of a schema that leads to the web, empty where
// none does. The dialects' own schemas, which every validator has, are not
// remote.
func RemoteRef(b []byte) string {
	root := readable(b)
	if root == nil {
		return ""
	}
	f := faulting{book: newBook(root), remote: true}
	f.schema(root)
	return f.ref
}

// readable reads a schema of a dialect that is known; nil where it is none.
func readable(b []byte) *node {
	if len(b) > maxSchema {
		return nil
	}
	root, err := parse(b)
	if err != nil {
		return nil
	}
	name, _ := root.get("$schema").string()
	name = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(name, "https://"), "http://"), "#")
	if !slices.Contains(knownDialects, name) {
		return nil
	}
	return root
}

var knownDialects = []string{"", "json-schema.org/schema", "json-schema.org/draft-06/schema", "json-schema.org/draft-07/schema",
	"json-schema.org/draft/2019-09/schema", "json-schema.org/draft/2020-12/schema"}

// hasIDs reports whether a part of a schema names itself, which changes what
// references mean.
func hasIDs(n *node) bool {
	for _, m := range n.members {
		if m.key == "$id" || m.key == "id" || hasIDs(m.val) {
			return true
		}
	}
	return slices.ContainsFunc(n.items, hasIDs)
}

// A faulting goes through a schema.
type faulting struct {
	book   *book
	ids    bool
	remote bool // remote: references are looked for, and faults are not.
	path   []string
	found  *Problem
	ref    string
}

func (f *faulting) say(text string) {
	if f.found == nil && !f.remote {
		f.found = &Problem{Path: slices.Clone(f.path), Text: text}
	}
}

func (f *faulting) at(name string, do func()) {
	if f.found != nil || f.ref != "" {
		return
	}
	f.path = append(f.path, name)
	do()
	f.path = f.path[:len(f.path)-1]
}

func (f *faulting) schema(n *node) {
	if n.kind == boolean {
		return
	}
	if n.kind != object {
		f.say("is " + kindWords[n.kind] + ", must be a schema")
		return
	}
	if n.twice {
		return
	}
	if ref := n.get("$ref"); ref != nil {
		// Up to draft-07 what stands beside a reference is ignored.
		f.at("$ref", func() { f.reference(ref) })
		return
	}
	for i := range n.members {
		m := &n.members[i]
		f.at(m.key, func() { f.word(m.key, m.val) })
	}
}

func (f *faulting) reference(ref *node) {
	name, ok := ref.string()
	switch {
	case !ok:
		f.say("is " + kindWords[ref.kind] + ", must be a string")
	case (name == "#" || strings.HasPrefix(name, "#/")) && !f.ids && f.book.resolve(name) == nil:
		f.say("leads to " + name + ", which is not in the schema")
	case f.remote && (strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://")) && f.book.resolve(name) == nil:
		base, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(name, "https://"), "http://"), "#")
		if !slices.Contains(knownDialects, base) {
			f.ref = name
		}
	}
}

// word looks at one keyword's value.
func (f *faulting) word(key string, v *node) {
	switch key {
	case "type":
		f.types(v)
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
		if f.must(v, object) {
			for i := range v.members {
				f.at(v.members[i].key, func() { f.schema(v.members[i].val) })
			}
		}
	case "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedProperties", "unevaluatedItems", "additionalItems":
		f.schema(v)
	case "items":
		if v.kind != array {
			f.schema(v)
			return
		}
		f.list(v)
	case "allOf", "anyOf", "oneOf", "prefixItems":
		if f.must(v, array) {
			f.list(v)
		}
	case "required":
		if f.must(v, array) {
			for i, item := range v.items {
				f.at(strconv.Itoa(i), func() { f.must(item, text) })
			}
		}
	case "enum":
		f.must(v, array)
	case "uniqueItems":
		f.must(v, boolean)
	case "pattern":
		f.must(v, text)
	case "minimum", "maximum", "multipleOf":
		f.must(v, number)
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		if f.must(v, number) && (!whole(v.raw) || nearest(v.raw) < 0) {
			f.say("is " + string(v.raw) + ", must be a whole number from 0")
		}
	}
}

// must says where a value is not of a kind.
func (f *faulting) must(v *node, k kind) bool {
	if v.kind != k {
		f.say("is " + kindWords[v.kind] + ", must be " + kindWords[k])
	}
	return v.kind == k
}

func (f *faulting) list(v *node) {
	for i, item := range v.items {
		f.at(strconv.Itoa(i), func() { f.schema(item) })
	}
}

func (f *faulting) types(v *node) {
	list := v.items
	switch {
	case v.kind == text:
		list = []*node{v}
	case v.kind != array:
		f.say("is " + kindWords[v.kind] + ", must be a string or an array of strings")
		return
	case len(list) == 0:
		f.say("is empty")
	}
	for _, t := range list {
		name, ok := t.string()
		if _, known := typeKinds[name]; !ok || !known {
			f.say("is " + string(t.raw) + ", which is no type")
		}
	}
}
