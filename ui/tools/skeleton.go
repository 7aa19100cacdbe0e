package tools

import (
	"bytes"
	"encoding/json"
	"slices"

	"wiretea/recorder/peers"
)

const (
	maxDepth = 4  // levels of required members that a skeleton goes into
	maxWidth = 64 // members of an object that it has
)

// promptCall is a line for :send that gets a prompt, with its required
// arguments.
func promptCall(name string, arguments json.RawMessage) string {
	p := params{Name: name}
	needed := map[string]string{}
	for _, raw := range peers.Elements(arguments) {
		if m := peers.Members(raw); string(m["required"]) == "true" && len(needed) < maxWidth {
			needed[peers.Text(m["name"])] = ""
		}
	}
	if len(needed) > 0 {
		p.Arguments = needed
	}
	return send("prompts/get", p)
}

// params are the parameters of a request, in the order in which they are written.
type params struct {
	Name      string `json:"name,omitempty"`
	URI       string `json:"uri,omitempty"`
	Arguments any    `json:"arguments,omitempty"`
}

// send is a method with parameters in one line.
func send(method string, p params) string { return method + " " + string(marshal(p)) }

// marshal writes a value without escaping what HTML would want escaped. What
// cannot be written is null.
func marshal(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return []byte("null")
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// skeleton is the least value of a schema, as far as it is plain to see: what is
// given as constant, default or example, else nothing of the right type.
func skeleton(schema json.RawMessage, depth int) any {
	m := peers.Members(schema)
	for _, given := range []json.RawMessage{m["const"], m["default"], first(m["examples"]), first(m["enum"])} {
		if len(given) > 0 {
			return given
		}
	}
	for _, choice := range []json.RawMessage{first(m["anyOf"]), first(m["oneOf"]), first(m["allOf"])} {
		if len(choice) > 0 && m["type"] == nil && depth < maxDepth {
			return skeleton(choice, depth+1)
		}
	}
	name := peers.Text(m["type"])
	if name == "" {
		name = peers.Text(first(m["type"]))
	}
	switch name {
	case "string":
		return ""
	case "number", "integer":
		if least := m["minimum"]; len(least) > 0 {
			return least
		}
		return 0
	case "boolean":
		return false
	case "array":
		return []any{}
	case "object":
		return object(m, depth)
	}
	if depth == 0 || m["properties"] != nil {
		return object(m, depth)
	}
	return nil
}

// object has the required members of a schema.
func object(m map[string]json.RawMessage, depth int) map[string]any {
	out := map[string]any{}
	if depth >= maxDepth {
		return out
	}
	properties := peers.Members(m["properties"])
	required := peers.Elements(m["required"])
	for _, raw := range slices.Clone(required[:min(len(required), maxWidth)]) {
		var key string
		if json.Unmarshal(raw, &key) == nil {
			out[key] = skeleton(properties[key], depth+1)
		}
	}
	return out
}

// first is the first element of an array, nil where there is none.
func first(raw json.RawMessage) json.RawMessage {
	if list := peers.Elements(raw); len(list) > 0 {
		return list[0]
	}
	return nil
}
