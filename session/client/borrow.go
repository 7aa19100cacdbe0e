package client

import (
	"encoding/json"
	"slices"

	"wiretea/session/mcp"
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
	mcp.MetaProtocolVersion, mcp.MetaClientCapabilities, mcp.MetaClientInfo,
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

// whereCapabilities is where the parameters of a modern request say what its client
// can do.
var whereCapabilities = []string{"_meta", mcp.MetaClientCapabilities}

// withTasks returns a client's capabilities with the tasks extension, or without
// it. What is no object stays.
func withTasks(caps json.RawMessage, tasks bool) json.RawMessage {
	have, ok := members(caps)
	i := slices.IndexFunc(have, func(m member) bool { return m.key == "extensions" })
	extension := member{key: mcp.TasksExtension, value: json.RawMessage(`{}`)}
	switch {
	case !ok, i < 0 && !tasks:
		return caps
	case i < 0:
		return withMembers(caps, have, []member{{key: "extensions", value: withMembers([]byte(`{}`), nil, []member{extension})}})
	}
	return within(caps, []string{"extensions"}, func(all json.RawMessage) json.RawMessage {
		inner, ok := members(all)
		switch {
		case !ok:
			return all
		case tasks:
			return withMembers(all, inner, []member{extension})
		case !slices.ContainsFunc(inner, func(m member) bool { return m.key == extension.key }):
			return all
		}
		return withMembers([]byte(`{}`), nil, slices.DeleteFunc(inner, func(m member) bool { return m.key == extension.key }))
	})
}

// within changes the member of an object that a path leads to; all else stays as
// it is, and all where there is no such member.
func within(object json.RawMessage, path []string, change func(json.RawMessage) json.RawMessage) json.RawMessage {
	if len(path) == 0 {
		return change(object)
	}
	list, _ := members(object)
	i := slices.IndexFunc(list, func(m member) bool { return m.key == path[0] })
	if i < 0 {
		return object
	}
	old := list[i]
	return slices.Concat(object[:old.at], within(old.value, path[1:], change), object[old.at+len(old.value):])
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
