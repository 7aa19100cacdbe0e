package schema

import (
	"embed"
	"strings"
	"sync"

	"wiretea/session/json/tree"
)

// A shape is what the value of a keyword must be.
type shape uint8

const (
	anything     shape = iota
	oneSchema          // a schema
	schemaList         // an array of schemas
	schemaMap          // an object of schemas
	itemsOrList        // a schema or an array of schemas (draft-07)
	dependencies       // an object of schemas or arrays of strings (draft-07)
	someNumber
	count // a whole number from 0
	someString
	someBool
	someArray
	strings_   // an array of strings
	stringsMap // an object of arrays of strings
	typeNames  // a type's name, or an array of such
)

// A keyword is a word of a dialect.
type keyword struct {
	name   string
	shape  shape
	judges kinds                                                    // judges are the kinds of values that it says something about; 0 = none by itself.
	judge  func(*evaluation, *word, *tree.Node, *evaluated) verdict // judge is nil where judges is 0.
	drafts drafts                                                   // drafts are those that know it.
	group  string                                                   // group is its vocabulary in 2020-12.
	quiet  bool                                                     // quiet: Fault accepts any value, for drafts differ.
}

// kinds is a set of tree.Kind.
type kinds uint8

const (
	objects  kinds = 1 << tree.Object
	arrays   kinds = 1 << tree.Array
	texts    kinds = 1 << tree.String
	numbers  kinds = 1 << tree.Number
	anyValue kinds = 1<<(tree.Object+1) - 1
)

type drafts uint8

const (
	draft7 drafts = 1 << iota
	draft2020
	both = draft7 | draft2020
)

// vocabulary returns all keywords. Those with which others are judged (then with
// if, minContains with contains) judge nothing by themselves.
func vocabulary() []keyword {
	const applicator, validation, unevaluated, core = "applicator", "validation", "unevaluated", "core"
	return []keyword{
		{"$ref", someString, anyValue, (*evaluation).reference, both, core, false},
		{"$dynamicRef", someString, anyValue, (*evaluation).reference, draft2020, core, false},
		{"$recursiveRef", anything, anyValue, (*evaluation).unsupported, draft2020, core, true},
		{"$defs", schemaMap, 0, nil, draft2020, core, false},
		{"definitions", schemaMap, 0, nil, both, core, false},
		{"allOf", schemaList, anyValue, (*evaluation).allOf, both, applicator, false},
		{"anyOf", schemaList, anyValue, (*evaluation).anyOf, both, applicator, false},
		{"oneOf", schemaList, anyValue, (*evaluation).oneOf, both, applicator, false},
		{"not", oneSchema, anyValue, (*evaluation).not, both, applicator, false},
		{"if", oneSchema, anyValue, (*evaluation).ifThenElse, both, applicator, false},
		{"then", oneSchema, 0, nil, both, applicator, false},
		{"else", oneSchema, 0, nil, both, applicator, false},
		{"dependentSchemas", schemaMap, objects, (*evaluation).dependencies, draft2020, applicator, false},
		{"dependencies", dependencies, objects, (*evaluation).dependencies, draft7, applicator, true},
		{"properties", schemaMap, objects, (*evaluation).properties, both, applicator, false},
		{"patternProperties", schemaMap, objects, (*evaluation).patternProperties, both, applicator, false},
		{"additionalProperties", oneSchema, objects, (*evaluation).additionalProperties, both, applicator, false},
		{"propertyNames", oneSchema, objects, (*evaluation).propertyNames, both, applicator, false},
		{"prefixItems", schemaList, arrays, (*evaluation).prefixItems, draft2020, applicator, false},
		{"items", oneSchema, arrays, (*evaluation).items, draft2020, applicator, true},
		{"items", itemsOrList, arrays, (*evaluation).itemsOrList, draft7, applicator, true},
		{"additionalItems", oneSchema, arrays, (*evaluation).additionalItems, draft7, applicator, false},
		{"contains", oneSchema, arrays, (*evaluation).contains, both, applicator, false},
		{"minContains", count, 0, nil, draft2020, validation, true},
		{"maxContains", count, 0, nil, draft2020, validation, true},
		{"type", typeNames, anyValue, (*evaluation).types, both, validation, false},
		{"enum", someArray, anyValue, (*evaluation).enum, both, validation, false},
		{"const", anything, anyValue, (*evaluation).constant, both, validation, false},
		{"multipleOf", someNumber, numbers, (*evaluation).multipleOf, both, validation, false},
		{"minimum", someNumber, numbers, (*evaluation).limit, both, validation, false},
		{"maximum", someNumber, numbers, (*evaluation).limit, both, validation, false},
		{"exclusiveMinimum", someNumber, numbers, (*evaluation).limit, both, validation, false},
		{"exclusiveMaximum", someNumber, numbers, (*evaluation).limit, both, validation, false},
		{"minLength", count, texts, (*evaluation).length, both, validation, false},
		{"maxLength", count, texts, (*evaluation).length, both, validation, false},
		{"pattern", someString, texts, (*evaluation).pattern, both, validation, false},
		{"minItems", count, arrays, (*evaluation).length, both, validation, false},
		{"maxItems", count, arrays, (*evaluation).length, both, validation, false},
		{"uniqueItems", someBool, arrays, (*evaluation).unique, both, validation, false},
		{"minProperties", count, objects, (*evaluation).length, both, validation, false},
		{"maxProperties", count, objects, (*evaluation).length, both, validation, false},
		{"required", strings_, objects, (*evaluation).required, both, validation, false},
		{"dependentRequired", stringsMap, objects, (*evaluation).dependencies, draft2020, validation, true},
		{"format", anything, texts, (*evaluation).format, both, "format-annotation", true},
		{"unevaluatedItems", oneSchema, arrays, (*evaluation).unevaluatedItems, draft2020, unevaluated, false},
		{"unevaluatedProperties", oneSchema, objects, (*evaluation).unevaluatedProperties, draft2020, unevaluated, false},
	}
}

// A dialect is the keywords that a schema may use.
type dialect struct {
	draft drafts
	words map[string]*keyword
}

// newDialect returns the dialect of a draft, of some groups of keywords where has is
// not nil.
func newDialect(of drafts, has func(group string) bool) *dialect {
	d := &dialect{of, map[string]*keyword{}}
	for _, k := range vocabulary() {
		if k.drafts&of != 0 && (has == nil || has(k.group)) {
			d.words[k.name] = &k
		}
	}
	return d
}

var dialects struct {
	once         sync.Once
	seven, newer *dialect
}

// known returns the dialect of that name; nil where it is not supported. No name is
// that of the default.
func known(name string) *dialect {
	dialects.once.Do(func() {
		dialects.seven, dialects.newer = newDialect(draft7, nil), newDialect(draft2020, nil)
	})
	switch bare(name) {
	case "json-schema.org/draft-07/schema":
		return dialects.seven
	case "", "json-schema.org/draft/2020-12/schema":
		return dialects.newer
	}
	return nil
}

// bare returns a URI without its scheme and an empty fragment.
func bare(uri string) string {
	return strings.TrimPrefix(strings.TrimPrefix(strings.TrimSuffix(uri, "#"), "https://"), "http://")
}

// dialect returns the dialect that a schema names. One of its own is described by its
// meta-schema, where that can be had.
func (s *Schema) dialect(name string) *dialect {
	if d := known(name); d != nil {
		return d
	}
	text := s.document(name)
	if text == nil {
		return nil
	}
	meta, err := parse(text)
	if err != nil {
		return nil
	}
	base, _ := meta.Get("$schema").Text()
	d := known(base)
	if d == nil || meta.Get("$vocabulary") == nil {
		return d
	}
	const ours = "https://json-schema.org/draft/2020-12/vocab/"
	groups := map[string]bool{"core": true}
	for _, m := range meta.Get("$vocabulary").Members {
		group, ok := strings.CutPrefix(m.Key, ours)
		if groups[group] = true; !ok && string(m.Val.Raw) == "true" {
			return nil
		}
	}
	return newDialect(d.draft, func(group string) bool { return groups[group] })
}

//go:embed meta
var metaSchemas embed.FS

// document returns the text of a document outside of the schema; nil where it cannot
// be had.
func (s *Schema) document(uri string) []byte {
	name := bare(uri)
	switch {
	case name == "json-schema.org/draft-07/schema":
		name = "draft-07"
	case name == "json-schema.org/draft/2020-12/schema":
		name = "2020-12"
	case strings.HasPrefix(name, "json-schema.org/draft/2020-12/meta/"):
		name = "2020-12-" + strings.TrimPrefix(name, "json-schema.org/draft/2020-12/meta/")
	case s.options.Documents != nil:
		return s.options.Documents(uri)
	default:
		return nil
	}
	text, _ := metaSchemas.ReadFile("meta/" + name + ".json")
	return text
}
