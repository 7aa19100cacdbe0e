package clientconfig

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// A Call is how a client would call a server at a URL.
type Call struct {
	URL    string   // URL is the server's own, placeholders filled in. It may hold a secret.
	Shown  string   // Shown is the URL for eyes.
	Fields []Field  // Fields are the header fields that the entry sets; for sending, not for showing.
	Read   []string // Read are the variables of our environment that were filled in.
	Left   string   // Left says what of the entry is not done as the client does it; empty = nothing.
}

// A Field is a header field of an entry.
type Field struct {
	Name, Value string
	variable    bool // variable: Value is the name of the variable that has the value,
	bearer      bool // bearer: which is a bearer token.
}

// Call returns how the file's client would call a server of the file that has a URL, in a
// place. It connects to nothing. It fails with a *PlaceholderError where only the client
// can know what is meant.
func (f File) Call(s Server, p Place) (Call, error) {
	if s.Command != "" || s.URL == "" {
		return Call{}, errors.New("the entry has no URL")
	}
	p.Project = cmp.Or(f.folder, p.Project)
	fill := filler{client: f.Client, place: p}
	c := Call{Shown: ShownURL(s.URL)}
	var err error
	if c.URL, _, err = fill.in(s.URL); err != nil {
		return Call{}, err
	}
	for _, field := range s.fields {
		if field.variable {
			fill.read = append(fill.read, field.Value)
			value := p.env(field.Value)
			if value == "" {
				return Call{}, fmt.Errorf("the variable %s, which has the value of %s, is not set", field.Value, field.Name)
			}
			if field.bearer {
				value = "Bearer " + value
			}
			c.Fields = append(c.Fields, Field{Name: field.Name, Value: value})
			continue
		}
		value, _, err := fill.in(field.Value)
		if err != nil {
			return Call{}, err
		}
		c.Fields = append(c.Fields, Field{Name: field.Name, Value: value})
	}
	c.Read = fill.read
	if s.several {
		c.Left = "the entry has several URLs: this is the first one"
	}
	return c, nil
}

// fieldsJSON sets the header fields.
func (s *Server) fieldsJSON(n *node) {
	headers, _ := n.get("headers")
	if headers == nil {
		return
	}
	for _, m := range headers.members {
		if m.value.kind == kindString {
			s.fields = append(s.fields, Field{Name: m.key.text, Value: m.value.text})
		}
	}
}

// fieldsTOML sets the header fields, also those whose values are in variables.
func (s *Server) fieldsTOML(values map[string]any) {
	for _, key := range []string{"http_headers", "env_http_headers"} {
		table, _ := values[key].(map[string]any)
		variable := key == "env_http_headers"
		for _, name := range slices.Sorted(maps.Keys(table)) {
			if value, ok := table[name].(string); ok {
				s.fields = append(s.fields, Field{Name: name, Value: value, variable: variable})
			}
		}
	}
	if name, _ := values["bearer_token_env_var"].(string); name != "" {
		s.fields = append(s.fields, Field{Name: "Authorization", Value: name, variable: true, bearer: true})
	}
}
