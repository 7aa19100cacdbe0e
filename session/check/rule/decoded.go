package rule

import (
	"encoding/json"

	"wiretea/session"
	"wiretea/session/jsonrpc"
)

// SpanText returns the text of a value in the event's message, nil if the
// recording does not hold all of it.
func SpanText(ev *session.Event, span jsonrpc.Span) []byte { return span.In(ev.Frame.Whole) }

// FieldText returns the text of a captured value, nil if not all of it is
// known.
func FieldText(ev *session.Event, v *jsonrpc.Value) []byte {
	if v.Present() && v.Whole() {
		return v.Raw
	}
	return SpanText(ev, v.Span)
}

// Described says what a value is, with its beginning if that is known.
func Described(ev *session.Event, span jsonrpc.Span) string {
	if text := SpanText(ev, span); text != nil {
		return jsonrpc.Described(text)
	}
	return TypeName(span.Type)
}

// Object is a decoded JSON object whose members are still text. nil is no
// object.
type Object map[string]json.RawMessage

// ParseObject decodes the text of an object, and reports false for any other
// value. Keys are compared exactly; of duplicate keys the last one counts.
func ParseObject(text []byte) (Object, bool) {
	if len(text) == 0 || text[0] != '{' {
		return nil, false
	}
	var o Object
	if json.Unmarshal(text, &o) != nil {
		return nil, false
	}
	return o, true
}

// Object returns the member of that name if it is an object.
func (o Object) Object(key string) (Object, bool) { return ParseObject(o[key]) }

// Has reports whether there is a member of that name, even null.
func (o Object) Has(key string) bool {
	_, ok := o[key]
	return ok
}

// Text returns the member of that name if it is a string.
func (o Object) Text(key string) (string, bool) {
	raw := o[key]
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}

// Flag reports whether the member of that name is true.
func (o Object) Flag(key string) bool { return string(o[key]) == "true" }
