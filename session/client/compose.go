package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// requestJSON assembles a request by hand, so that params stay as they are.
func requestJSON(id, method string, params json.RawMessage) []byte {
	b := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%s`, id, quote(method))
	return finish(b, params)
}

// notificationJSON assembles a notification.
func notificationJSON(method string, params json.RawMessage) []byte {
	b := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%s`, quote(method))
	return finish(b, params)
}

func finish(b []byte, params json.RawMessage) []byte {
	if len(params) > 0 {
		b = append(b, `,"params":`...)
		b = append(b, params...)
	}
	return append(b, '}')
}

// quote returns s as a JSON string, without the HTML escapes.
func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// oneLine checks that params are JSON and makes them fit on one line: white
// space around them goes, line breaks between tokens become spaces. Nothing
// else changes.
func oneLine(params json.RawMessage) (json.RawMessage, error) {
	params = bytes.TrimSpace(params)
	if len(params) == 0 {
		return nil, nil
	}
	if err := checkJSON(params); err != nil {
		return nil, fmt.Errorf("parameters are not JSON: %w", err)
	}
	if !bytes.ContainsAny(params, "\r\n") {
		return params, nil
	}
	// Inside strings JSON has no raw line breaks.
	params = slices.Clone(params)
	for i, b := range params {
		if b == '\n' || b == '\r' {
			params[i] = ' '
		}
	}
	return params, nil
}

// checkJSON says where a text stops being JSON.
func checkJSON(text []byte) error {
	if json.Valid(text) {
		return nil
	}
	var any json.RawMessage
	err := json.Unmarshal(text, &any)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("%w (at byte %d)", err, syntax.Offset)
	}
	return err
}

// A member is one member of an object: its key, unescaped, and its value,
// verbatim.
type member struct {
	key   string
	value json.RawMessage
	at    int // at is the value's offset in the object's text.
}

// members returns an object's members in order, and whether text is an object.
func members(text []byte) ([]member, bool) {
	dec := json.NewDecoder(bytes.NewReader(text))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	var list []member
	for dec.More() {
		key, err := dec.Token()
		name, ok := key.(string)
		if err != nil || !ok {
			return nil, false
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return nil, false
		}
		list = append(list, member{name, value, int(dec.InputOffset()) - len(value)})
	}
	return list, true
}

// withMembers returns an object with the members added at its end that it does
// not have. text must be a JSON object without outer white space, and have its
// members.
func withMembers(text []byte, have []member, add []member) []byte {
	last := len(text) - 1
	b := append([]byte(nil), text[:last]...)
	empty := len(have) == 0
	for _, m := range add {
		if slices.ContainsFunc(have, func(h member) bool { return h.key == m.key }) {
			continue
		}
		if !empty {
			b = append(b, ',')
		}
		empty = false
		b = append(b, quote(m.key)...)
		b = append(b, ':')
		b = append(b, m.value...)
	}
	return append(b, text[last:]...)
}

// stamp gives params the members of _meta that it lacks. What the user wrote
// stays, also where it contradicts them, and params or a _meta that are no
// objects stay altogether: the user wants to see what the server says to that.
func stamp(params json.RawMessage, meta []member) json.RawMessage {
	if len(params) == 0 {
		params = json.RawMessage(`{}`)
	}
	have, ok := members(params)
	if !ok {
		return params
	}
	i := slices.IndexFunc(have, func(m member) bool { return m.key == "_meta" })
	if i < 0 {
		return withMembers(params, have, []member{{key: "_meta", value: withMembers([]byte(`{}`), nil, meta)}})
	}
	old := have[i].value
	inner, ok := members(old)
	if !ok {
		return params
	}
	at := have[i].at
	b := append([]byte(nil), params[:at]...)
	b = append(b, withMembers(old, inner, meta)...)
	return append(b, params[at+len(old):]...)
}
