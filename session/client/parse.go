package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

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
