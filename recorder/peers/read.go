package peers

import (
	"encoding/json"
)

// Members returns the members of an object with their keys as written, nil for
// any other value. Of members with the same key the last one counts.
func Members(raw []byte) map[string]json.RawMessage { return read[map[string]json.RawMessage](raw) }

// Elements returns the elements of an array, nil for any other value.
func Elements(raw []byte) []json.RawMessage { return read[[]json.RawMessage](raw) }

// Text returns the text of a string, empty for any other value.
func Text(raw []byte) string { return read[string](raw) }

// read returns a value of a type, the zero value where the text is another one.
func read[T any](raw []byte) (none T) {
	var v T
	if json.Unmarshal(raw, &v) != nil {
		return none
	}
	return v
}
