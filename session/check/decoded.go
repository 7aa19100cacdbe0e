package check

import (
	"encoding/json"

	"wiretea/session"
	"wiretea/session/jsonrpc"
)

// spanText returns the text of a value that stands in the event's message, nil
// where the recording does not show all of it.
func spanText(ev *session.Event, span jsonrpc.Span) []byte {
	whole := ev.Frame.Whole
	if span.Type == jsonrpc.Absent || span.Len <= 0 || span.Off < 0 || span.Off+span.Len > int64(len(whole)) {
		return nil
	}
	return whole[span.Off : span.Off+span.Len]
}

// fieldText returns the text of a captured value, nil where not all of it is
// there.
func fieldText(ev *session.Event, v *jsonrpc.Value) []byte {
	if v.Present() && v.Whole() {
		return v.Raw
	}
	return spanText(ev, v.Span)
}

// object is a decoded JSON object whose members are still text. nil is none.
type object map[string]json.RawMessage

// parseObject decodes the text of an object. It reports false for anything else.
// Keys are compared exactly, and of one that stands there twice the last counts.
func parseObject(text []byte) (object, bool) {
	if len(text) == 0 || text[0] != '{' {
		return nil, false
	}
	var o object
	if json.Unmarshal(text, &o) != nil {
		return nil, false
	}
	return o, true
}

// object returns the member of that name where it is an object.
func (o object) object(key string) (object, bool) { return parseObject(o[key]) }

// has reports whether a member is there, be it null.
func (o object) has(key string) bool {
	_, ok := o[key]
	return ok
}

// text returns the member of that name where it is a string.
func (o object) text(key string) (string, bool) {
	raw := o[key]
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}

// flag reports whether the member of that name is true.
func (o object) flag(key string) bool { return string(o[key]) == "true" }
