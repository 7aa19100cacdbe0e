package form

import (
	"wiretea/session/json/schema"
	"wiretea/session/json/tree"
)

// A validator holds values against a whole schema. It belongs to one goroutine.
type validator struct{ schema *schema.Schema }

// compile reads a schema. The error says why values cannot be held against it.
func compile(root *tree.Node) (*validator, error) {
	s, err := schema.Compile(root.Raw)
	if err != nil {
		return nil, err
	}
	return &validator{s}, nil
}

// validate returns what is wrong with a value, nil where nothing is. The error
// says why that cannot be told.
func (v *validator) validate(instance *tree.Node) (*Problem, error) {
	wrong, _, err := v.schema.Validate(instance.Raw, 0)
	if wrong == nil || err != nil {
		return nil, err
	}
	return &Problem{Path: wrong.Path, Text: inline(wrong.Text, 200)}, nil
}
