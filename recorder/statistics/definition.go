package statistics

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"wiretea/recorder"
)

// Tokens estimates how many tokens a text of that many bytes takes in the context of a
// model.
func Tokens(bytes int64) int64 { return (bytes + 3) / 4 }

// A Definition is something that a server lists.
type Definition struct {
	Name   string          // Name is as it was sent: that of a tool or a prompt, the URI of a resource or a template.
	Bytes  int64           // Bytes is the length of the definition as it was sent.
	Tokens int64           // Tokens are estimated: of what a model gets to see of a tool, of the whole of anything else.
	Raw    json.RawMessage // Raw is the definition.
	Use    Use
}

// seen are the members of a tool that clients hand to a model.
var seen = []string{"name", "description", "inputSchema"}

// Of measures the definition of a tool.
func DefinitionOf(tool json.RawMessage) Definition {
	m := recorder.Members(tool)
	d := Definition{Name: recorder.TextOf(m["name"]), Bytes: int64(len(tool)), Raw: tool}
	size := int64(len("{}"))
	for _, name := range seen {
		if value, there := m[name]; there {
			size += int64(len(name)+len(`"":,`)) + plain(value)
		}
	}
	d.Tokens = Tokens(size)
	return d
}

// Other measures a definition that is not a tool's. name is the member that names it.
func OtherDefinition(raw json.RawMessage, name string) Definition {
	return Definition{Name: recorder.TextOf(recorder.Members(raw)[name]), Bytes: int64(len(raw)), Tokens: Tokens(plain(raw)), Raw: raw}
}

// plain is how long a value is without insignificant white space and without escapes that
// text does not need.
func plain(raw json.RawMessage) int64 {
	var v any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return int64(len(raw))
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return int64(len(raw))
	}
	return int64(out.Len() - 1) // without the newline
}

// A Member is a part of a definition.
type Member struct {
	Path  string // Path is as in inputSchema.properties.query.
	Bytes int64  // Bytes is its length as it was sent.
}

// Largest are the largest members of a definition, the largest first, at most n: those of
// the object itself, and of a schema its properties.
func (d *Definition) Largest(n int) []Member {
	var all []Member
	for name, value := range recorder.Members(d.Raw) {
		properties := recorder.Members(recorder.Members(value)["properties"])
		for property, schema := range properties {
			all = append(all, Member{name + ".properties." + property, int64(len(schema))})
		}
		if len(properties) == 0 {
			all = append(all, Member{name, int64(len(value))})
		}
	}
	slices.SortFunc(all, func(a, b Member) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Path, b.Path))
	})
	return all[:min(n, len(all))]
}
