package schema

import (
	"fmt"
	"slices"
	"strings"

	"wiretea/session/json/tree"
	"wiretea/session/lazy"
)

// A word is a keyword of a subschema with its value, read. What cannot be read has
// a fault.
type word struct {
	*keyword
	val   *tree.Node
	fault string     // fault is why the value cannot be used, empty = it can;
	at    *tree.Node // at is what is at fault, nil = val.

	sub     *sub            // sub is the value of a keyword with one schema, or what a reference leads to.
	list    []*sub          // list are the values of a keyword with several, in the order of the text,
	named   map[string]*sub // and by name.
	dynamic string          // dynamic is the anchor that a $dynamicRef looks for in the resources on the way; empty = none.
	n       int             // n is a count.
	allowed kinds           // allowed are the kinds of type; whole: numbers must be whole.
	whole   bool
	text    string // text is a pattern or a format.
	beside  *sub   // beside is the subschema that it is in.
}

// words reads the keywords of a subschema, those last that need to know what the
// others have evaluated.
func (s *Schema) words(b *sub) []word {
	if b.read {
		return b.words
	}
	b.read = true
	if b.node.Kind != tree.Object || b.res.dialect == nil {
		return nil
	}
	ref := b.node.Get("$ref")
	openAPI := b.node.Get("nullable")
	b.nullable = openAPI.Is(tree.Bool) && openAPI.Raw[0] == 't'
	for i := range b.node.Members {
		m := &b.node.Members[i]
		k := b.res.dialect.words[m.Key]
		if k == nil || ref != nil && b.res.dialect.draft == draft7 && m.Val != ref {
			continue
		}
		w := word{keyword: k, val: m.Val, beside: b}
		w.at, w.fault = s.read(&w)
		if w.at == nil {
			w.at = w.val
		}
		b.words = append(b.words, w)
		b.after = b.after || k.group == "unevaluated"
	}
	if b.after {
		slices.SortStableFunc(b.words, func(x, y word) int { return last(x) - last(y) })
	}
	return b.words
}

func last(w word) int {
	if w.group == "unevaluated" {
		return 1
	}
	return 0
}

// word returns a keyword of a subschema; nil where it is not there, or has a fault.
func (b *sub) word(name string) *word {
	for i := range b.words {
		if w := &b.words[i]; w.name == name && w.fault == "" {
			return w
		}
	}
	return nil
}

// read reads the value of a word. It returns what is wrong with it, and with which
// part, nil for all of it.
func (s *Schema) read(w *word) (at *tree.Node, fault string) {
	v := w.val
	switch w.shape {
	case someNumber:
		if fault = must(v, tree.Number); fault == "" && w.name == "multipleOf" && nearest(v.Raw) <= 0 {
			fault = "is " + string(v.Raw) + ", must be more than 0"
		}
	case count:
		if fault = must(v, tree.Number); fault == "" && (!IsInteger(v.Raw) || nearest(v.Raw) < 0) {
			fault = "is " + string(v.Raw) + ", must be a whole number from 0"
		}
		w.n = int(min(nearest(v.Raw), 1<<53))
	case someString:
		if fault = must(v, tree.String); fault == "" {
			fault = s.readText(w)
		}
	case someBool:
		fault = must(v, tree.Bool)
	case someArray:
		fault = must(v, tree.Array)
	case strings_:
		return allStrings(v)
	case stringsMap:
		if fault = must(v, tree.Object); fault == "" {
			for _, list := range v.Children() {
				if at, fault = allStrings(list); fault != "" {
					return at, fault
				}
			}
		}
	case typeNames:
		return w.readTypes()
	case anything:
		w.text, _ = v.Text()
	case oneSchema, schemaList, schemaMap, itemsOrList, dependencies:
		return s.readSchemas(w)
	}
	return nil, fault
}

// readSchemas reads a keyword whose value is made of schemas.
func (s *Schema) readSchemas(w *word) (at *tree.Node, fault string) {
	v := w.val
	of := w.shape
	if of == itemsOrList {
		if of = oneSchema; v.Kind == tree.Array {
			of = schemaList
		}
	}
	switch of {
	case schemaList:
		fault = must(v, tree.Array)
	case schemaMap, dependencies:
		if fault = must(v, tree.Object); v.Twice {
			fault = twiceFault
		}
		w.named = make(map[string]*sub, len(v.Members))
		for i := range v.Members {
			w.named[v.Members[i].Key] = s.subs[v.Members[i].Val]
		}
	default:
		w.sub = s.subs[v]
		return nil, notSchema(v)
	}
	for _, child := range v.Children() {
		w.list = append(w.list, s.subs[child])
		switch {
		case fault != "":
		case of == dependencies && child.Kind == tree.Array:
			at, fault = allStrings(child)
		case notSchema(child) != "":
			at, fault = child, notSchema(child)
		}
	}
	return at, fault
}

const twiceFault = "has one key twice"

// readText reads a keyword whose value is a string.
func (s *Schema) readText(w *word) (fault string) {
	w.text, _ = w.val.Text()
	if w.name == "pattern" {
		if !strings.ContainsAny(w.text, `[\`) && strings.Count(w.text, "(") != strings.Count(w.text, ")") {
			return "has a group that is not closed, or closed twice"
		}
		return ""
	}
	if w.sub = s.resolve(w.val); w.sub == nil {
		return fmt.Sprintf("leads to %.200s, which is not in the schema", w.text)
	}
	if _, anchor, _ := strings.Cut(w.text, "#"); w.name == "$dynamicRef" && w.sub.res.dynamic[anchor] == w.sub {
		w.dynamic = anchor
	}
	return ""
}

func (w *word) readTypes() (at *tree.Node, fault string) {
	list := w.val.Items
	switch {
	case w.val.Kind == tree.String:
		list = []*tree.Node{w.val}
	case w.val.Kind != tree.Array:
		return nil, "is " + kindWords[w.val.Kind] + ", must be a string or an array of strings"
	case len(list) == 0:
		return nil, "is empty"
	}
	w.whole = true
	var names []string
	for _, t := range list {
		name, _ := t.Text()
		kind, known := typeKinds.Get()[name]
		if !known {
			return nil, "is " + string(t.Raw) + ", which is not a type"
		}
		names = append(names, name)
		w.allowed |= 1 << kind
		w.whole = w.whole && name != "number"
	}
	w.text = strings.Join(names, " or ")
	return nil, ""
}

var (
	kindWords = [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}
	typeKinds = lazy.Value[map[string]tree.Kind]{New: func() map[string]tree.Kind {
		return map[string]tree.Kind{"null": tree.Null, "boolean": tree.Bool, "number": tree.Number, "integer": tree.Number, "string": tree.String, "array": tree.Array, "object": tree.Object}
	}}
)

// must says where a value is not of a kind.
func must(v *tree.Node, k tree.Kind) string {
	if v.Kind != k {
		return "is " + kindWords[v.Kind] + ", must be " + kindWords[k]
	}
	return ""
}

func notSchema(v *tree.Node) string {
	if v.Kind != tree.Object && v.Kind != tree.Bool {
		return "is " + kindWords[v.Kind] + ", must be a schema"
	}
	return ""
}

func allStrings(v *tree.Node) (at *tree.Node, fault string) {
	if fault = must(v, tree.Array); fault != "" {
		return v, fault
	}
	for _, item := range v.Items {
		if fault = must(item, tree.String); fault != "" {
			return item, fault
		}
	}
	return nil, ""
}
