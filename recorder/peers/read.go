package peers

import (
	"encoding/json"
)

// Members returns the members of an object with their keys as written, nil for
// any other value. Of members with the same key the last one counts.
func Members(raw []byte) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	return m
}

// Elements returns the elements of an array, nil for any other value.
func Elements(raw []byte) []json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

// Text returns the text of a string, empty for any other value.
func Text(raw []byte) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return ""
	}
	return text
}
