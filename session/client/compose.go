package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"wiretea/session/json/lex"
)

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
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("%w (at byte %d)", err, syntax.Offset)
	}
	return err
}

// withMembers returns an object with the members added at its end that it does
// not have. text must be a JSON object without outer white space, and have its
// members.
func withMembers(text []byte, have []lex.Member, add []lex.Member) []byte {
	last := len(text) - 1
	b := append([]byte(nil), text[:last]...)
	empty := len(have) == 0
	for _, m := range add {
		if slices.ContainsFunc(have, func(h lex.Member) bool { return h.Name == m.Name }) {
			continue
		}
		if !empty {
			b = append(b, ',')
		}
		empty = false
		b = append(b, lex.Quote(m.Name)...)
		b = append(b, ':')
		b = append(b, m.Value...)
	}
	return append(b, text[last:]...)
}

// stamp gives params the members of _meta that it lacks. What the user wrote
// stays, also where it contradicts them, and params or a _meta that are no
// objects stay altogether: the user wants to see what the server says to that.
func stamp(params json.RawMessage, meta []lex.Member) json.RawMessage {
	if len(params) == 0 {
		params = json.RawMessage(`{}`)
	}
	have, ok := lex.List(params)
	if !ok {
		return params
	}
	i := slices.IndexFunc(have, func(m lex.Member) bool { return m.Name == "_meta" })
	if i < 0 {
		return withMembers(params, have, []lex.Member{{Name: "_meta", Value: lex.AppendObject(nil, meta...)}})
	}
	old := have[i].Value
	inner, ok := lex.List(old)
	if !ok {
		return params
	}
	at := have[i].At
	b := append([]byte(nil), params[:at]...)
	b = append(b, withMembers(old, inner, meta)...)
	return append(b, params[at+len(old):]...)
}

// ErrNothing is returned by ParseLine for a blank line.
var ErrNothing = errors.New("nothing to send")

// ParseLine reads what a user types:
//
//	tools/list
//	tools/call {"name":"echo","arguments":{"message":"hi"}}
//	{"jsonrpc":"2.0","id":7,"method":"ping"}
//
// The first two give method and parameters for Call, or for Notify where
// IsNotification says so; params is nil where there are none. A line that begins
// with { or [ is a whole message, right or wrong, to be sent as it is: method is
// then empty and params the line, for CallRaw.
func ParseLine(line string) (method string, params json.RawMessage, err error) {
	line = strings.TrimSpace(line)
	if line == "" {
		return "", nil, ErrNothing
	}
	if line[0] == '{' || line[0] == '[' {
		return "", json.RawMessage(line), nil
	}
	method = line
	if i := strings.IndexAny(line, " \t{["); i >= 0 {
		method, line = line[:i], strings.TrimSpace(line[i:])
	} else {
		line = ""
	}
	if i := strings.IndexAny(method, "\"'`,:;()}]"); i >= 0 {
		return "", nil, fmt.Errorf("%.80q is not a method: write it plain, as in tools/list", method)
	}
	if line == "" {
		return method, nil, nil
	}
	if line[0] != '{' && line[0] != '[' {
		return "", nil, fmt.Errorf(`parameters of %s must be a JSON object, as in %[1]s {"name":"echo"}; got %.80q`, method, line)
	}
	if err := checkJSON([]byte(line)); err != nil {
		return "", nil, fmt.Errorf("parameters of %s are not JSON: %w", method, err)
	}
	return method, json.RawMessage(line), nil
}

// IsNotification reports whether a method is one by its name.
func IsNotification(method string) bool { return strings.HasPrefix(method, "notifications/") }
