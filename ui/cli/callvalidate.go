package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// maxInPlace is how many schemas may have to be tried on one and the same value.
const maxInPlace = 2000

// validate says how a value does not fit the whole schema, empty where it fits,
// and where the schema cannot be used: it is the server's, and the server will
// say what it thinks.
func (s schema) validate(value json.RawMessage) (fault string) {
	defer func() {
		// Schemas are a server's words, and the library is not ours.
		if p := recover(); p != nil {
			fault = ""
		}
	}()
	if s.root == nil || !s.ends() {
		return ""
	}
	resolved, err := s.root.Resolve(nil)
	if err != nil {
		return ""
	}
	var data any
	if err := json.Unmarshal(value, &data); err != nil {
		return ""
	}
	if err := resolved.Validate(data); err != nil {
		return fmt.Sprintf("the arguments do not fit the schema: %s", strings.TrimPrefix(err.Error(), "validating root: "))
	}
	return ""
}

// ends reports whether validating against the schema comes to an end, and soon:
// none of its parts leads back to itself with the same value in hand, which the
// library would follow until the stack is full.
func (s schema) ends() bool {
	var all []*jsonschema.Schema
	known := map[*jsonschema.Schema]bool{}
	for todo := []*jsonschema.Schema{s.root}; len(todo) > 0; {
		p := todo[0]
		todo = todo[1:]
		if p == nil || known[p] {
			continue
		}
		if known[p] = true; len(known) > 20*maxInPlace {
			return false
		}
		all = append(all, p)
		todo = append(append(todo, s.inPlace(p)...), inside(p)...)
	}
	for _, p := range all {
		left := maxInPlace
		if !s.settles(p, map[*jsonschema.Schema]bool{}, &left) {
			return false
		}
	}
	return true
}

// settles follows what is tried on the same value.
func (s schema) settles(p *jsonschema.Schema, above map[*jsonschema.Schema]bool, left *int) bool {
	if *left--; above[p] || *left < 0 {
		return false
	}
	above[p] = true
	defer delete(above, p)
	for _, sub := range s.inPlace(p) {
		if sub != nil && !s.settles(sub, above, left) {
			return false
		}
	}
	return true
}

// inPlace are the schemas that are tried on the same value as p. A reference that
// this program cannot follow leads to the beginning, as the worst there is.
func (s schema) inPlace(p *jsonschema.Schema) []*jsonschema.Schema {
	list := []*jsonschema.Schema{p.Not, p.If, p.Then, p.Else}
	list = append(append(append(list, p.AllOf...), p.AnyOf...), p.OneOf...)
	for _, sub := range p.DependentSchemas {
		list = append(list, sub)
	}
	for _, sub := range p.DependencySchemas {
		list = append(list, sub)
	}
	if p.DynamicRef != "" {
		list = append(list, s.root)
	}
	if p.Ref != "" {
		to := s.follow(p.Ref)
		if to == nil {
			to = s.root
		}
		list = append(list, to)
	}
	return list
}

// inside are the schemas that are tried on parts of a value.
func inside(p *jsonschema.Schema) []*jsonschema.Schema {
	list := []*jsonschema.Schema{p.Items, p.AdditionalItems, p.Contains, p.UnevaluatedItems, p.AdditionalProperties, p.PropertyNames, p.UnevaluatedProperties}
	list = append(append(list, p.PrefixItems...), p.ItemsArray...)
	for _, sub := range p.Properties {
		list = append(list, sub)
	}
	for _, sub := range p.PatternProperties {
		list = append(list, sub)
	}
	return list
}
