package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

var (
	// ErrForm is returned by ValidateForm where the content does not satisfy the
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
	have, ok := members(given)
	if !ok {
		return nil, errors.New("the form's data is not an object")
	}
	properties, err := formProperties(schema)
	if err != nil {
		return nil, err
	}
	var add []member
	for _, p := range properties {
		var s struct {
			Default json.RawMessage `json:"default"`
		}
		if json.Unmarshal(p.value, &s) == nil && s.Default != nil {
			add = append(add, member{key: p.key, value: s.Default})
		}
	}
	return withMembers(given, have, add), nil
}

// formProperties returns the properties of a form's schema in order.
func formProperties(schema json.RawMessage) ([]member, error) {
	top, ok := members(schema)
	if !ok {
		return nil, fmt.Errorf("%w: it is not an object", ErrFormSchema)
	}
	i := slices.IndexFunc(top, func(m member) bool { return m.key == "properties" })
	if i < 0 {
		return nil, nil
	}
	properties, ok := members(top[i].value)
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
		names[i] = properties[i].key
	}
	return names
}

// ValidateForm checks the data of a form against its schema. The error is
// ErrForm or ErrFormSchema, with the reason: the first is a fault of the answer,
// the second of the server. A schema with references is not used: forms are flat
// ([V4] client/elicitation §Requested Schema), and one that refers to itself has
// no end.
func ValidateForm(schema, content json.RawMessage) (err error) {
	defer func() {
		// Schemas are a server's words, and the library is not ours.
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", ErrFormSchema, p)
		}
	}()
	resolved, err := formSchema(schema)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFormSchema, err)
	}
	var data any
	if err := json.Unmarshal(bytes.TrimSpace(content), &data); err != nil {
		return fmt.Errorf("%w: %w", ErrForm, err)
	}
	if err := resolved.Validate(data); err != nil {
		return fmt.Errorf("%w: %w", ErrForm, err)
	}
	return nil
}

func formSchema(text json.RawMessage) (*jsonschema.Resolved, error) {
	var plain map[string]any
	if err := json.Unmarshal(text, &plain); err != nil {
		return nil, errors.New(whyUnreadable(err))
	}
	if plain == nil {
		return nil, errors.New("it is null")
	}
	if err := checkFlat(plain, 0); err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, errors.New(whyUnreadable(err))
	}
	// The dialects differ in nothing that a form uses.
	s.Schema = ""
	return s.Resolve(nil)
}

// maxFormDepth is how deep a form's schema may be. Enums with titles have 5.
const maxFormDepth = 32

// checkFlat refuses references and depth.
func checkFlat(value any, depth int) error {
	if depth > maxFormDepth {
		return errors.New("it is nested too deep")
	}
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if key == "$ref" || key == "$dynamicRef" {
				return fmt.Errorf("it has a %s", key)
			}
			if err := checkFlat(inner, depth+1); err != nil {
				return err
			}
		}
	case []any:
		for _, inner := range v {
			if err := checkFlat(inner, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}
