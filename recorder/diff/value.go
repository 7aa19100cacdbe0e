package diff

import "encoding/json"

// members returns the members of an object, nil for any other value. Of members
// with the same name the last one counts.
func members(raw []byte) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	return m
}

// text returns the text of a string, empty for any other value.
func text(raw []byte) string {
	var t string
	if json.Unmarshal(raw, &t) != nil {
		return ""
	}
	return t
}
