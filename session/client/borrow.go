package client

import (
	"encoding/json"
	"slices"
)

// Message makes a request, or a notification where IsNotification says so, for
// whoever gives requests an id of his own: theirs is 0. The parameters stay byte
// for byte, line breaks between tokens aside; nil = none.
func Message(method string, params json.RawMessage) ([]byte, error) {
	given, err := oneLine(params)
	if err != nil {
		return nil, err
	}
	if IsNotification(method) {
		return notificationJSON(method, given), nil
	}
	return requestJSON("0", method, given), nil
}

// metaOfClient are the members of _meta that say what a client speaks and who it
// is ([V5] basic/index §_meta).
var metaOfClient = []string{
	"io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities", "io.modelcontextprotocol/clientInfo",
}

// Borrow gives params what a modern request says of its client, as another
// client's request has it, verbatim: whoever sends in that client's name promises
// no more than it does. What params have stays. It reports false where the
// request says nothing of its client.
func Borrow(params, request json.RawMessage) (json.RawMessage, bool) {
	var meta []member
	outer, _ := members(valueOf(request, "params"))
	for _, m := range outer {
		if m.key == "_meta" {
			meta, _ = members(m.value)
		}
	}
	meta = slices.DeleteFunc(meta, func(m member) bool { return !slices.Contains(metaOfClient, m.key) })
	if !slices.ContainsFunc(meta, func(m member) bool { return m.key == metaOfClient[0] }) {
		return params, false
	}
	return stamp(params, meta), true
}

// valueOf returns a member of an object, nil where there is none.
func valueOf(object json.RawMessage, key string) json.RawMessage {
	list, _ := members(object)
	for _, m := range list {
		if m.key == key {
			return m.value
		}
	}
	return nil
}
