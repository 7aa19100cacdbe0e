package schema

import (
	"slices"
	"strconv"
	"strings"

	"wiretea/session/json/tree"
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
	f := faulting{book: tree.NewBook(root), ids: hasIDs(root)}
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
	f := faulting{book: tree.NewBook(root), remote: true}
	f.schema(root)
	return f.ref
}

// readable reads a schema of a dialect that is known; nil where it is none.
func readable(b []byte) *tree.Node {
	if len(b) > maxSchema {
		return nil
	}
	root, err := parse(b)
	if err != nil {
		return nil
	}
	name, _ := root.Get("$schema").Text()
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
func hasIDs(n *tree.Node) bool {
	for _, m := range n.Members {
		if m.Key == "$id" || m.Key == "id" || hasIDs(m.Val) {
			return true
		}
	}
	return slices.ContainsFunc(n.Items, hasIDs)
}

// A faulting goes through a schema.
type faulting struct {
	book   *tree.Book
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

func (f *faulting) schema(n *tree.Node) {
	if n.Kind == tree.Bool {
		return
	}
	if n.Kind != tree.Object {
		f.say("is " + kindWords[n.Kind] + ", must be a schema")
		return
	}
	if n.Twice {
		return
	}
	if ref := n.Get("$ref"); ref != nil {
		// Up to draft-07 what stands beside a reference is ignored.
		f.at("$ref", func() { f.reference(ref) })
		return
	}
	for i := range n.Members {
		m := &n.Members[i]
		f.at(m.Key, func() { f.word(m.Key, m.Val) })
	}
}

func (f *faulting) reference(ref *tree.Node) {
	name, ok := ref.Text()
	switch {
	case !ok:
		f.say("is " + kindWords[ref.Kind] + ", must be a string")
	case (name == "#" || strings.HasPrefix(name, "#/")) && !f.ids && f.book.Resolve(name) == nil:
		f.say("leads to " + name + ", which is not in the schema")
	case f.remote && (strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://")) && f.book.Resolve(name) == nil:
		base, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(name, "https://"), "http://"), "#")
		if !slices.Contains(knownDialects, base) {
			f.ref = name
		}
	}
}

// word looks at one keyword's value.
func (f *faulting) word(key string, v *tree.Node) {
	switch key {
	case "type":
		f.types(v)
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
		if f.must(v, tree.Object) {
			for i := range v.Members {
				f.at(v.Members[i].Key, func() { f.schema(v.Members[i].Val) })
			}
		}
	case "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedProperties", "unevaluatedItems", "additionalItems":
		f.schema(v)
	case "items":
		if v.Kind != tree.Array {
			f.schema(v)
			return
		}
		f.list(v)
	case "allOf", "anyOf", "oneOf", "prefixItems":
		if f.must(v, tree.Array) {
			f.list(v)
		}
	case "required":
		if f.must(v, tree.Array) {
			for i, item := range v.Items {
				f.at(strconv.Itoa(i), func() { f.must(item, tree.String) })
			}
		}
	case "enum":
		f.must(v, tree.Array)
	case "uniqueItems":
		f.must(v, tree.Bool)
	case "pattern":
		f.must(v, tree.String)
	case "minimum", "maximum", "multipleOf":
		f.must(v, tree.Number)
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		if f.must(v, tree.Number) && (!whole(v.Raw) || nearest(v.Raw) < 0) {
			f.say("is " + string(v.Raw) + ", must be a whole number from 0")
		}
	}
}

// must says where a value is not of a kind.
func (f *faulting) must(v *tree.Node, k tree.Kind) bool {
	if v.Kind != k {
		f.say("is " + kindWords[v.Kind] + ", must be " + kindWords[k])
	}
	return v.Kind == k
}

func (f *faulting) list(v *tree.Node) {
	for i, item := range v.Items {
		f.at(strconv.Itoa(i), func() { f.schema(item) })
	}
}

func (f *faulting) types(v *tree.Node) {
	list := v.Items
	switch {
	case v.Kind == tree.String:
		list = []*tree.Node{v}
	case v.Kind != tree.Array:
		f.say("is " + kindWords[v.Kind] + ", must be a string or an array of strings")
		return
	case len(list) == 0:
		f.say("is empty")
	}
	for _, t := range list {
		name, ok := t.Text()
		if _, known := typeKinds[name]; !ok || !known {
			f.say("is " + string(t.Raw) + ", which is not a type")
		}
	}
}
