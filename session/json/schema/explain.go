package schema

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wiretea/session/json/tree"
)

// maxExplained is how many subschemas and values are looked at for the place of
// what is wrong.
const maxExplained = 5000

// An explaining looks for the place of what is wrong with a value that the
// library has refused. It knows less than the library, and says nothing of what
// it does not know.
type explaining struct {
	schema *Schema
	values *tree.Book // values is the value, of which members are looked for.
	left   int
	path   []string
}

// explain returns the first thing that is wrong; nil where it does not find it.
func (s *Schema) explain(v *tree.Node) *Problem {
	e := explaining{schema: s, values: tree.NewBook(v), left: maxExplained}
	return e.at(s.book.Root(), v)
}

func (e *explaining) say(format string, args ...any) *Problem {
	return &Problem{Path: slices.Clone(e.path), Text: fmt.Sprintf(format, args...)}
}

func (e *explaining) below(name string, s, v *tree.Node) *Problem {
	e.path = append(e.path, name)
	p := e.at(s, v)
	e.path = e.path[:len(e.path)-1]
	return p
}

func (e *explaining) at(s, v *tree.Node) *Problem {
	if e.left--; e.left < 0 || s == nil {
		return nil
	}
	if s.Kind == tree.Bool && s.Raw[0] == 'f' {
		return e.say("is nothing that the schema allows")
	}
	if s.Kind != tree.Object {
		return nil
	}
	if target := e.schema.targets[s.Get("$ref")]; target != nil {
		if p := e.at(target, v); p != nil || e.schema.draft7 {
			return p
		}
	}
	if p := e.itself(s, v); p != nil {
		return p
	}
	if all := s.Get("allOf"); all.Is(tree.Array) {
		for _, sub := range all.Items {
			if p := e.at(sub, v); p != nil {
				return p
			}
		}
	}
	switch v.Kind {
	case tree.Object:
		if p := e.object(s, v); p != nil {
			return p
		}
	case tree.Array:
		if p := e.array(s, v); p != nil {
			return p
		}
	case tree.Null, tree.Bool, tree.Number, tree.String:
	}
	return e.alone(s, v)
}

// itself looks at the keywords that are about the value and nothing in it.
func (e *explaining) itself(s, v *tree.Node) *Problem {
	if types := s.Get("type"); types != nil && !allows(types, v) {
		return e.say("is %s, must be %s", kindWords[v.Kind], typeWords(types))
	}
	if list := s.Get("enum"); list.Is(tree.Array) && v.Kind < tree.Array && !slices.ContainsFunc(list.Items, func(c *tree.Node) bool { return equal(c, v) }) {
		return e.say("must be one of %s", listed(list.Items))
	}
	if c := s.Get("const"); c != nil && v.Kind < tree.Array && !equal(c, v) {
		return e.say("must be %s", c.Raw)
	}
	return nil
}

func (e *explaining) object(s, v *tree.Node) *Problem {
	if names := s.Get("required"); names.Is(tree.Array) {
		for _, n := range names.Items {
			if name, ok := n.Text(); ok && e.values.Member(v, name) == nil {
				e.path = append(e.path, name)
				p := e.say("is required")
				e.path = e.path[:len(e.path)-1]
				return p
			}
		}
	}
	rest := s.Get("additionalProperties")
	if s.Get("patternProperties") != nil {
		rest = nil
	}
	named := s.Get("properties")
	for i := range v.Members {
		m := &v.Members[i]
		var sub *tree.Node
		if named != nil {
			sub = e.schema.book.Member(named, m.Key)
		}
		if sub == nil && rest.Is(tree.Bool) && rest.Raw[0] == 'f' {
			e.path = append(e.path, m.Key)
			p := e.say("additional property not allowed")
			e.path = e.path[:len(e.path)-1]
			return p
		}
		if sub == nil {
			sub = rest
		}
		if p := e.below(m.Key, sub, m.Val); p != nil {
			return p
		}
	}
	return nil
}

func (e *explaining) array(s, v *tree.Node) *Problem {
	first, rest := s.Get("prefixItems"), s.Get("items")
	if rest.Is(tree.Array) {
		first, rest = rest, nil
	}
	for i, item := range v.Items {
		sub := rest
		if first.Is(tree.Array) && i < len(first.Items) {
			sub = first.Items[i]
		}
		if p := e.below(strconv.Itoa(i), sub, item); p != nil {
			return p
		}
	}
	return nil
}

// alone asks the library about one subschema, where it refers to nothing and says
// more than was looked at.
func (e *explaining) alone(s, v *tree.Node) *Problem {
	if len(e.path) == 0 || e.schema.fraction || len(s.Raw) > 4<<10 || len(v.Raw) > 4<<10 || refers(s) {
		return nil
	}
	sub, err := Compile(s.Raw)
	if err != nil {
		return nil
	}
	found, _, err := sub.ask(v, maxAlone)
	if found == nil || err != nil {
		return nil
	}
	p := located(found.Error())
	return &Problem{Path: append(slices.Clone(e.path), p.Path...), Text: p.Text}
}

// maxAlone is how many steps the library may take for one subschema by itself.
const maxAlone = 50_000

// refers reports whether a reference stands in a schema.
func refers(n *tree.Node) bool {
	return n.Get("$ref") != nil || slices.ContainsFunc(n.Children(), refers)
}

// allows reports whether a type keyword lets a value be. What it does not
// understand allows everything.
func allows(types, v *tree.Node) bool {
	list := types.Items
	if types.Kind == tree.String {
		list = []*tree.Node{types}
	}
	for _, t := range list {
		name, _ := t.Text()
		want, known := typeKinds[name]
		if !known || want == v.Kind && (name != "integer" || whole(v.Raw)) {
			return true
		}
	}
	return len(list) == 0
}

var typeKinds = map[string]tree.Kind{"null": tree.Null, "boolean": tree.Bool, "number": tree.Number, "integer": tree.Number, "string": tree.String, "array": tree.Array, "object": tree.Object}

func typeWords(types *tree.Node) string {
	if name, ok := types.Text(); ok {
		return name
	}
	var words []string
	for _, t := range types.Items {
		name, _ := t.Text()
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
func equal(a, b *tree.Node) bool {
	if a.Kind != b.Kind {
		return false
	}
	switch a.Kind {
	case tree.Number:
		return nearest(a.Raw) == nearest(b.Raw)
	case tree.String:
		return tree.Unquote(a.Raw) == tree.Unquote(b.Raw)
	case tree.Null, tree.Bool, tree.Array, tree.Object:
	}
	return bytes.Equal(a.Raw, b.Raw)
}

func listed(items []*tree.Node) string {
	var words []string
	for _, c := range items[:min(len(items), 6)] {
		words = append(words, string(c.Raw))
	}
	if len(items) > 6 {
		words = append(words, "…")
	}
	return strings.Join(words, ", ")
}
