package features

import (
	"encoding/json"
	"slices"
	"strings"

	"wiretea/session/check/rule"
)

// openers are the keywords with which a schema can have more properties than its
// properties name.
var openers = []string{
	"patternProperties", "unevaluatedProperties", "$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "if", "then", "else",
	"dependentSchemas", "dependencies", "extends",
}

// unknownRequired returns the first name that the root of a valid schema requires
// and that is not among its properties. It reports false if there is none, or if it
// can be a property anyway.
func unknownRequired(text []byte) (name string, ok bool) {
	root, ok := rule.ParseObject(text)
	if !ok || !root.Has("required") || isOpen(root) {
		return "", false
	}
	var required []any
	properties, ok := root.Object("properties")
	if !ok && root.Has("properties") || json.Unmarshal(root["required"], &required) != nil {
		return "", false
	}
	for _, item := range required {
		if name, ok := item.(string); ok && !properties.Has(name) {
			return name, true
		}
	}
	return "", false
}

// isOpen reports whether a schema can have properties that its properties do not
// name, or is of a dialect that is not known.
func isOpen(root rule.Object) bool {
	if dialect, ok := root.Text("$schema"); root.Has("$schema") && (!ok || !strings.Contains(dialect, "json-schema.org/")) {
		return true
	}
	if more, ok := root["additionalProperties"]; ok && string(more) != "false" {
		return true
	}
	return slices.ContainsFunc(openers, root.Has)
}
