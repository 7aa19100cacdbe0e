package call

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	wholeschema "wiretea/session/json/schema"
)

// A schema is a part of a tool's inputSchema, as far as it helps to read what
// was typed. The zero value, and what is no schema, allows everything.
type schema struct {
	root *jsonschema.Schema // root is where references begin; nil = no schema.
	at   *jsonschema.Schema // at is this part; nil = nothing is known of it.
	text json.RawMessage    // text is the whole schema as the server wrote it; nil for a part.
}

// maxSchemaSteps is how many references and alternatives are followed in one
// question: schemas are a server's words, and may run in circles.
const maxSchemaSteps = 200

// readSchema reads an inputSchema. One that cannot be read allows everything:
// the server will say what it thinks of the arguments.
func readSchema(text json.RawMessage) schema {
	var s jsonschema.Schema
	if !wholeschema.Readable(text) || json.Unmarshal(text, &s) != nil {
		return schema{}
	}
	return schema{root: &s, at: &s, text: text}
}

// parts returns the schema itself and all that it is made of, references,
// alternatives and conditions, each once.
func (s schema) parts() []*jsonschema.Schema {
	var parts []*jsonschema.Schema
	todo := []*jsonschema.Schema{s.at}
	for len(todo) > 0 && len(parts) < maxSchemaSteps {
		p := todo[0]
		todo = todo[1:]
		if p == nil || slices.Contains(parts, p) {
			continue
		}
		parts = append(parts, p)
		if p.Ref != "" {
			todo = append(todo, s.follow(p.Ref))
		}
		todo = slices.Concat(todo, p.AllOf, p.AnyOf, p.OneOf, []*jsonschema.Schema{p.Then, p.Else})
	}
	return parts
}

// follow finds what a reference inside of the schema points at; nil where it does
// not. Nothing is fetched.
func (s schema) follow(ref string) *jsonschema.Schema {
	pointer, local := strings.CutPrefix(ref, "#")
	if !local || s.root == nil {
		return nil
	}
	at := s.root
	steps := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	if pointer == "" {
		return at
	}
	for len(steps) > 0 && at != nil {
		word, name := steps[0], ""
		if len(steps) > 1 {
			name = strings.NewReplacer("~1", "/", "~0", "~").Replace(steps[1])
		}
		switch word {
		case "$defs":
			at, steps = at.Defs[name], steps[min(2, len(steps)):]
		case "definitions":
			at, steps = at.Definitions[name], steps[min(2, len(steps)):]
		case "properties":
			at, steps = at.Properties[name], steps[min(2, len(steps)):]
		case "items":
			at, steps = at.Items, steps[1:]
		default:
			return nil
		}
	}
	return at
}

// types returns the JSON types that a value may have; nil = any.
func (s schema) types() map[string]bool {
	set := map[string]bool{}
	for _, p := range s.parts() {
		switch {
		case p.Type != "":
			set[p.Type] = true
		case p.Types != nil:
			for _, t := range p.Types {
				set[t] = true
			}
		case p.Const != nil:
			set[jsonType(*p.Const)] = true
		case p.Enum != nil:
			for _, v := range p.Enum {
				set[jsonType(v)] = true
			}
		case p.Properties != nil:
			set["object"] = true
		case p.Items != nil || p.PrefixItems != nil:
			set["array"] = true
		}
	}
	if len(set) == 0 {
		return nil
	}
	return set
}

func jsonType(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64, json.Number:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

// property returns the schema of a member, and whether it has one of its own.
func (s schema) property(name string) (schema, bool) {
	var rest *jsonschema.Schema
	for _, p := range s.parts() {
		if prop := p.Properties[name]; prop != nil {
			return schema{root: s.root, at: prop}, true
		}
		if p.AdditionalProperties != nil && rest == nil {
			rest = p.AdditionalProperties
		}
	}
	return schema{root: s.root, at: rest}, false
}

// item returns the schema of a list's items.
func (s schema) item() schema {
	for _, p := range s.parts() {
		if p.Items != nil {
			return schema{root: s.root, at: p.Items}
		}
	}
	return schema{root: s.root}
}

// properties are the names that the schema knows, sorted.
func (s schema) properties() []string {
	set := map[string]bool{}
	for _, p := range s.parts() {
		for name := range p.Properties {
			set[name] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// closed reports whether a name that the schema does not list is most likely a
// mistake: it lists some, and does not say that there may be others.
func (s schema) closed() bool {
	listed := false
	for _, p := range s.parts() {
		if p.PatternProperties != nil || p.AdditionalProperties != nil && !isFalse(p.AdditionalProperties) {
			return false
		}
		listed = listed || p.Properties != nil || p.AdditionalProperties != nil
	}
	return listed
}

// isFalse reports whether a schema is the one that allows nothing.
func isFalse(p *jsonschema.Schema) bool { return p.Not != nil }

// required are the names that must be there, whichever alternative holds.
func (s schema) required() []string {
	var names []string
	todo, seen := []*jsonschema.Schema{s.at}, map[*jsonschema.Schema]bool{}
	for len(todo) > 0 && len(seen) < maxSchemaSteps {
		p := todo[0]
		todo = todo[1:]
		if p == nil || seen[p] {
			continue
		}
		seen[p] = true
		names = append(names, p.Required...)
		if p.Ref != "" {
			todo = append(todo, s.follow(p.Ref))
		}
		todo = append(todo, p.AllOf...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// words says in short what a schema wants: "integer", "string or null", "one of
// red, green".
func (s schema) words() string {
	for _, p := range s.parts() {
		if len(p.Enum) > 0 {
			var words []string
			for _, v := range p.Enum {
				word, err := json.Marshal(v)
				if err == nil {
					words = append(words, strings.Trim(string(word), `"`))
				}
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
