package client

import (
	"encoding/json"
	"slices"

	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// Message makes a request with the id 0, which a session.Control replaces, or a
// notification where IsNotification says so. The parameters stay byte for byte, except
// line breaks between tokens; nil = none.
func Message(method string, params json.RawMessage) ([]byte, error) {
	given, err := oneLine(params)
	if err != nil {
		return nil, err
	}
	if IsNotification(method) {
		return jsonrpc.AppendRequest(nil, "", method, given), nil
	}
	return jsonrpc.AppendRequest(nil, "0", method, given), nil
}

// clientMeta are the members of _meta that say what a client speaks and who it
// is ([V5] basic/index §_meta).
var clientMeta = []string{
	mcp.MetaProtocolVersion, mcp.MetaClientCapabilities, mcp.MetaClientInfo,
}

// CopyClientMeta adds to params what another client's modern request says of that
// client, verbatim: a request in its name declares no more than it does. Members that
// params have stay. It reports false where the request says nothing of its client.
func CopyClientMeta(params, request json.RawMessage) (json.RawMessage, bool) {
	var meta []lex.Member
	outer, _ := lex.List(valueOf(request, "params"))
	for _, m := range outer {
		if m.Name == "_meta" {
			meta, _ = lex.List(m.Value)
		}
	}
	meta = slices.DeleteFunc(meta, func(m lex.Member) bool { return !slices.Contains(clientMeta, m.Name) })
	if !slices.ContainsFunc(meta, func(m lex.Member) bool { return m.Name == clientMeta[0] }) {
		return params, false
	}
	return stamp(params, meta), true
}

// capabilitiesPath is where the parameters of a modern request say what its client
// can do.
var capabilitiesPath = []string{"_meta", mcp.MetaClientCapabilities}

// withTasks returns a client's capabilities with the tasks extension, or without
// it. Anything but an object stays.
func withTasks(caps json.RawMessage, tasks bool) json.RawMessage {
	have, ok := lex.List(caps)
	i := slices.IndexFunc(have, func(m lex.Member) bool { return m.Name == "extensions" })
	extension := lex.Member{Name: mcp.TasksExtension, Value: json.RawMessage(`{}`)}
	switch {
	case !ok, i < 0 && !tasks:
		return caps
	case i < 0:
		return withMembers(caps, have, []lex.Member{{Name: "extensions", Value: lex.AppendObject(nil, extension)}})
	}
	return within(caps, []string{"extensions"}, func(all json.RawMessage) json.RawMessage {
		inner, ok := lex.List(all)
		switch {
		case !ok:
			return all
		case tasks:
			return withMembers(all, inner, []lex.Member{extension})
		case !slices.ContainsFunc(inner, func(m lex.Member) bool { return m.Name == extension.Name }):
			return all
		}
		return withMembers([]byte(`{}`), nil, slices.DeleteFunc(inner, func(m lex.Member) bool { return m.Name == extension.Name }))
	})
}

// within changes the member of an object that a path leads to; all else stays as
// it is, and all where there is no such member.
func within(object json.RawMessage, path []string, change func(json.RawMessage) json.RawMessage) json.RawMessage {
	if len(path) == 0 {
		return change(object)
	}
	list, _ := lex.List(object)
	i := slices.IndexFunc(list, func(m lex.Member) bool { return m.Name == path[0] })
	if i < 0 {
		return object
	}
	old := list[i]
	return slices.Concat(object[:old.At], within(old.Value, path[1:], change), object[old.At+len(old.Value):])
}

// valueOf returns a member of an object, nil where there is none.
func valueOf(object json.RawMessage, key string) json.RawMessage {
	list, _ := lex.List(object)
	for _, m := range list {
		if m.Name == key {
			return m.Value
		}
	}
	return nil
}
