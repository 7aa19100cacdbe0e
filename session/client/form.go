package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"wiretea/session/json/lex"
	"wiretea/session/json/schema"
	"wiretea/session/json/tree"
)

var (
	// ErrForm is returned by validateForm where the content does not satisfy the
	// schema.
	ErrForm = errors.New("the form is not right")

	// ErrFormSchema is returned where a requestedSchema cannot be used: it is
	// no object, or no JSON Schema.
	ErrFormSchema = errors.New("the requested schema cannot be used")
)

// FormDefaults returns the data of a form as its schema has it before anybody
// types: given, and the default of each property that is not in it, verbatim and
// in the schema's order. given is a JSON object; nil = none.
func FormDefaults(schema, given json.RawMessage) (json.RawMessage, error) {
	if len(given) == 0 {
		given = json.RawMessage(`{}`)
	}
	given, err := oneLine(given)
	if err != nil {
		return nil, err
	}
	have, ok := lex.List(given)
	if !ok {
		return nil, errors.New("the form's data is not an object")
	}
	properties, err := formProperties(schema)
	if err != nil {
		return nil, err
	}
	var add []lex.Member
	for _, p := range properties {
		var s struct {
			Default json.RawMessage `json:"default"`
		}
		if json.Unmarshal(p.Value, &s) == nil && s.Default != nil {
			add = append(add, lex.Member{Name: p.Name, Value: s.Default})
		}
	}
	return withMembers(given, have, add), nil
}

// formProperties returns the properties of a form's schema in order.
func formProperties(schema json.RawMessage) ([]lex.Member, error) {
	top, ok := lex.List(schema)
	if !ok {
		return nil, fmt.Errorf("%w: it is not an object", ErrFormSchema)
	}
	i := slices.IndexFunc(top, func(m lex.Member) bool { return m.Name == "properties" })
	if i < 0 {
		return nil, nil
	}
	properties, ok := lex.List(top[i].Value)
	if !ok {
		return nil, fmt.Errorf("%w: its properties are not an object", ErrFormSchema)
	}
	return properties, nil
}

// formFields are the names of a form's properties.
func formFields(schema json.RawMessage) []string {
	properties, _ := formProperties(schema)
	names := make([]string, len(properties))
	for i := range properties {
		names[i] = properties[i].Name
	}
	return names
}

// validateForm checks the data of a form against its schema. The error is
// ErrForm or ErrFormSchema, with the reason: the first is a fault of the answer,
// the second of the server.
func validateForm(declared, content json.RawMessage) error {
	// The dialects differ in nothing that a form uses.
	form, err := schema.Options{Lenient: true}.Compile(declared)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFormSchema, err)
	}
	if form.Root().Kind != tree.Object {
		return fmt.Errorf("%w: it is not an object", ErrFormSchema)
	}
	if fault := schema.Fault(declared); fault != nil {
		return fmt.Errorf("%w: %s %s", ErrFormSchema, strings.Join(fault.Path, "."), fault.Text)
	}
	if !json.Valid(content) {
		return fmt.Errorf("%w: not valid JSON", ErrForm)
	}
	wrong, _, err := form.Validate(content, 0)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFormSchema, err)
	}
	if wrong != nil {
		return fmt.Errorf("%w: %s", ErrForm, strings.TrimSpace(strings.Join(wrong.Path, ".")+" "+wrong.Text))
	}
	return nil
}
