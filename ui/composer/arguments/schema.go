package arguments

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"wiretea/session/json/lex"
	wholeschema "wiretea/session/json/schema"
	"wiretea/session/json/tree"
)

// A Schema is a part of a tool's inputSchema, as far as it helps to read what was
// typed. The zero value allows everything.
type Schema struct {
	whole *wholeschema.Schema // whole is where references begin; nil = no schema.
	At    *tree.Node          // At is this part; nil = nothing is known of it.
}

// maxSchemaSteps is how many references and alternatives are followed in one
// question: schemas are a server's words, and may run in circles.
const maxSchemaSteps = 200

// Read reads an inputSchema. One that cannot be read allows everything: the
// server judges the arguments.
func Read(text json.RawMessage) Schema {
	whole, err := wholeschema.Options{Lenient: true}.Compile(text)
	if err != nil {
		return Schema{}
	}
	return Schema{whole, whole.Root()}
}

// validate says how a value does not fit the whole schema, empty where it fits,
// and where the schema cannot be used: it is the server's, and the server will
// say what it thinks.
func (s Schema) validate(value json.RawMessage) (fault string) {
	if s.whole == nil {
		return ""
	}
	strict, err := wholeschema.Compile(s.whole.Root().Raw)
	if err != nil {
		return ""
	}
	wrong, _, _ := strict.Validate(value, 0)
	if wrong == nil {
		return ""
	}
	return strings.TrimSpace(fmt.Sprintf("the arguments do not fit the schema: %s %s", strings.Join(wrong.Path, "."), wrong.Text))
}

// parts returns the schema itself and all that it is made of, each once: references
// and allOf, and where they are asked for alternatives and conditions.
func (s Schema) parts(alternatives bool) []*tree.Node {
	var parts []*tree.Node
	for todo := []*tree.Node{s.At}; len(todo) > 0 && len(parts) < maxSchemaSteps; todo = todo[1:] {
		p := todo[0]
		if p == nil || slices.Contains(parts, p) {
			continue
		}
		parts = append(parts, p)
		if ref := p.Get("$ref"); ref != nil {
			todo = append(todo, s.whole.Resolve(ref))
		}
		todo = append(todo, itemsOf(p.Get("allOf"))...)
		if alternatives {
			todo = slices.Concat(todo, itemsOf(p.Get("anyOf")), itemsOf(p.Get("oneOf")), []*tree.Node{p.Get("then"), p.Get("else")})
		}
	}
	return parts
}

func itemsOf(n *tree.Node) []*tree.Node {
	if n == nil {
		return nil
	}
	return n.Items
}

// types returns the JSON types that a value may have; nil = any.
func (s Schema) types() map[string]bool {
	set := map[string]bool{}
	for _, p := range s.parts(true) {
		kind := p.Get("type")
		name, one := kind.Text()
		switch {
		case one:
			set[name] = true
		case kind.Is(tree.Array):
			for _, t := range kind.Items {
				name, _ := t.Text()
				set[name] = true
			}
		case p.Get("const") != nil:
			set[jsonType(p.Get("const"))] = true
		case p.Get("enum") != nil:
			for _, v := range p.Get("enum").Items {
				set[jsonType(v)] = true
			}
		case p.Get("properties") != nil:
			set["object"] = true
		case p.Get("items") != nil || p.Get("prefixItems") != nil:
			set["array"] = true
		}
	}
	if len(set) == 0 {
		return nil
	}
	return set
}

func jsonType(v *tree.Node) string {
	return [...]string{"null", "boolean", "number", "string", "array", "object"}[v.Kind]
}

// Property returns the schema of a member, and whether it has one of its own.
func (s Schema) Property(name string) (Schema, bool) {
	var rest *tree.Node
	for _, p := range s.parts(true) {
		if prop := p.Get("properties").Get(name); prop != nil {
			return Schema{s.whole, prop}, true
		}
		if rest == nil {
			rest = p.Get("additionalProperties")
		}
	}
	return Schema{s.whole, rest}, false
}

// PromptSchema is a JSON schema of the arguments that a prompt lists: all of them are
// strings. An argument without a name, or with the name of an earlier one, is left out.
func PromptSchema(list []byte) []byte {
	var properties []lex.Member
	var required []string
	seen := map[string]bool{}
	for _, a := range lex.Items(list) {
		name := lex.Unquote(lex.Get(a, "name"))
		if name == "" || seen[name] {
			continue
		}
		seen[name] = true
		property := []lex.Member{{Name: "type", Value: []byte(`"string"`)}}
		for _, key := range []string{"title", "description"} {
			if text := lex.Unquote(lex.Get(a, key)); text != "" {
				property = append(property, lex.Member{Name: key, Value: lex.AppendQuote(nil, text)})
			}
		}
		properties = append(properties, lex.Member{Name: name, Value: lex.AppendObject(nil, property...)})
		if string(lex.Get(a, "required")) == "true" {
			required = append(required, name)
		}
	}
	return ObjectSchema(properties, required)
}

// ObjectSchema is a JSON schema of an object with these properties, whose values are their
// schemas.
func ObjectSchema(properties []lex.Member, required []string) []byte {
	names := make([]string, len(required))
	for i, name := range required {
		names[i] = lex.Quote(name)
	}
	return fmt.Appendf(nil, `{"type":"object","properties":%s,"required":[%s]}`, lex.AppendObject(nil, properties...), strings.Join(names, ","))
}

// item returns the schema of a list's items.
func (s Schema) item() Schema {
	for _, p := range s.parts(true) {
		if items := p.Get("items"); items != nil {
			return Schema{s.whole, items}
		}
	}
	return Schema{whole: s.whole}
}

// Properties are the names that the schema knows, sorted.
func (s Schema) Properties() []string {
	set := map[string]bool{}
	for _, p := range s.parts(true) {
		if list := p.Get("properties"); list != nil {
			for i := range list.Members {
				set[list.Members[i].Key] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// Fields are the names of the properties in the order in which the server wrote them.
func (s Schema) Fields() []string {
	properties := s.At.Get("properties")
	if properties == nil {
		return s.Properties()
	}
	var names []string
	for i := range properties.Members {
		names = append(names, properties.Members[i].Key)
	}
	return names
}

// closed reports whether a name that the schema does not list is most likely a
// mistake: it lists some, and does not say that there may be others.
func (s Schema) closed() bool {
	listed := false
	for _, p := range s.parts(true) {
		rest := p.Get("additionalProperties")
		if p.Get("patternProperties") != nil || rest != nil && string(rest.Raw) != "false" {
			return false
		}
		listed = listed || p.Get("properties") != nil || rest != nil
	}
	return listed
}

// Required are the names that must be there, whichever alternative holds.
func (s Schema) Required() []string {
	var names []string
	for _, p := range s.parts(false) {
		for _, n := range itemsOf(p.Get("required")) {
			if name, ok := n.Text(); ok {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Words says in short what a schema wants: "integer", "string or null", "one of
// red, green".
func (s Schema) Words() string {
	for _, p := range s.parts(true) {
		if list := itemsOf(p.Get("enum")); len(list) > 0 {
			var words []string
			for _, v := range list {
				words = append(words, strings.Trim(string(v.Raw), `"`))
			}
			return "one of " + strings.Join(words, ", ")
		}
	}
	types := s.types()
	if types["array"] && len(types) == 1 {
		if item := s.item().types(); len(item) == 1 {
			return "list of " + slices.Sorted(maps.Keys(item))[0]
		}
		return "list"
	}
	return strings.Join(slices.Sorted(maps.Keys(types)), " or ")
}
