package compose

import (
	"wiretea/session/jsonschema"
)

// A validator holds values against a whole schema. It belongs to one goroutine.
type validator struct{ schema *jsonschema.Schema }

// compile reads a schema. The error says why values cannot be held against it.
func compile(root *value) (*validator, error) {
	s, err := jsonschema.Compile(root.raw)
	if err != nil {
		return nil, err
	}
	return &validator{s}, nil
}

// validate returns what is wrong with a value, nil where nothing is. The error
// says why that cannot be told.
func (v *validator) validate(instance *value) (*Problem, error) {
	wrong, _, err := v.schema.Validate(instance.raw, 0)
	if wrong == nil || err != nil {
		return nil, err
	}
	return &Problem{Path: wrong.Path, Text: inline(wrong.Text, 200)}, nil
}
