package compose

import (
	"wiretea/session/jsonschema"
	"wiretea/session/jsontree"
)

// A validator holds values against a whole schema. It belongs to one goroutine.
type validator struct{ schema *jsonschema.Schema }

// compile reads a schema. The error says why values cannot be held against it.
func compile(root *jsontree.Node) (*validator, error) {
	s, err := jsonschema.Compile(root.Raw)
	if err != nil {
		return nil, err
	}
	return &validator{s}, nil
}

// validate returns what is wrong with a value, nil where nothing is. The error
// says why that cannot be told.
func (v *validator) validate(instance *jsontree.Node) (*Problem, error) {
	wrong, _, err := v.schema.Validate(instance.Raw, 0)
	if wrong == nil || err != nil {
		return nil, err
	}
	return &Problem{Path: wrong.Path, Text: inline(wrong.Text, 200)}, nil
}
