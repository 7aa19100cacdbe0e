package clientconfig

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// A Launch is how a client would start a server.
type Launch struct {
	// Argv is the command with its arguments, placeholders filled in. It never has
	// the tee in it.
	Argv []string

	// Shown is Argv for eyes: what came out of a variable of the environment, which
	// may be a secret, is as it was written.
	Shown []string

	Cwd  string   // Cwd is the working directory, absolute.
	Env  []string // Env are the variables that the entry sets, NAME=value; for starting, not for showing.
	Read []string // Read are the variables of our environment that were filled in.

	Left string // Left says what of the entry is not done as the client does it; empty = nothing.
}

// Launch returns how the file's client would start a server of the file, in a
// place. It starts nothing. It fails with ErrURL for a server that is called and
// not started, with a *LoaderError for one that is refused, and with a
// *PlaceholderError where only the client can know what is meant.
func (f File) Launch(s Server, p Place) (Launch, error) {
	switch {
	case s.Command == "" && s.URL != "":
		return Launch{}, ErrURL
	case s.Refused != "":
		return Launch{}, fmt.Errorf("the entry cannot be understood: %s", s.Refused)
	case s.Command == "":
		return Launch{}, errors.New("the entry has no command")
	}
	if found := Loaders(s.EnvNames); len(found) > 0 {
		return Launch{}, &LoaderError{found}
	}
	p.Project = cmp.Or(f.folder, p.Project)
	fill := filler{client: f.Client, place: p}
	var l Launch
	for _, word := range bare(append([]string{s.Command}, s.Args...)) {
		value, shown, err := fill.in(word)
		if err != nil {
			return Launch{}, err
		}
		l.Argv, l.Shown = append(l.Argv, value), append(l.Shown, shown)
	}
	for _, pair := range s.env {
		name, text, _ := strings.Cut(pair, "=")
		value, _, err := fill.in(text)
		if err != nil {
			return Launch{}, err
		}
		l.Env = append(l.Env, name+"="+value)
	}
	cwd, _, err := fill.in(s.Cwd)
	if err != nil {
		return Launch{}, err
	}
	l.Cwd, l.Read = p.folder(s, cwd), fill.read
	if bytes.Contains(f.data[s.From:s.To], []byte(`"envFile"`)) {
		l.Left = "its envFile is not read: variables that are only there are missing"
	}
	return l, nil
}

// bare takes the tee off a command, also one inside the other.
func bare(argv []string) []string {
	for isTee(argv[0], argv[1:]) {
		at, ok := behindTee(argv[1:])
		if !ok {
			break
		}
		argv = argv[1+at:]
	}
	return argv
}

// folder is where a server starts: where its entry says, else in the project.
func (p Place) folder(s Server, cwd string) string {
	base := cmp.Or(s.Folder, p.Project, p.Home)
	if rest, ok := strings.CutPrefix(cwd, "~"); ok && p.Home != "" && (rest == "" || rest[0] == '/') {
		return filepath.Join(p.Home, rest)
	}
	if filepath.IsAbs(cwd) {
		return filepath.Clean(cwd)
	}
	return filepath.Join(base, cwd)
}

// A LoaderError is returned for a server whose entry sets variables that put
// foreign code into programs.
type LoaderError struct{ Variables []Loader }

func (e *LoaderError) Error() string {
	v := e.Variables[0]
	text := fmt.Sprintf("refused: its entry sets %s, which %s", v.Name, v.Why)
	if n := len(e.Variables) - 1; n > 0 {
		var more []string
		for _, v := range e.Variables[1:] {
			more = append(more, v.Name)
		}
		text += "; and " + strings.Join(more, ", ")
	}
	return text + ". Configuration files may not set it"
}

// A PlaceholderError is returned for a placeholder that cannot be filled in.
type PlaceholderError struct {
	Text string // Text is the placeholder as written: ${input:token}.
	Why  string
}

func (e *PlaceholderError) Error() string {
	return fmt.Sprintf("%s cannot be filled in: %s", e.Text, e.Why)
}

// A filler fills in the placeholders that a client knows.
type filler struct {
	client string
	place  Place
	read   []string // read are the variables that were used.
}

// in fills in a text. shown is it for eyes.
func (f *filler) in(text string) (value, shown string, err error) {
	if f.client == "opencode" && (strings.Contains(text, "{env:") || strings.Contains(text, "{file:")) {
		return "", "", &PlaceholderError{text, notKnown}
	}
	next := f.syntax()
	if next == nil {
		return text, text, nil
	}
	var out, eyes strings.Builder
	for {
		at := strings.IndexByte(text, '$')
		if at < 0 {
			break
		}
		out.WriteString(text[:at])
		eyes.WriteString(text[:at])
		text = text[at:]
		n, value, secret, err := next(text)
		if err != nil {
			return "", "", err
		}
		out.WriteString(value)
		if secret {
			value = text[:n]
		}
		eyes.WriteString(value)
		text = text[n:]
	}
	return out.String() + text, eyes.String() + text, nil
}

// A syntax reads what a text begins with, a dollar sign: how long it is, what
// stands for it, and whether that came out of the environment.
type syntax func(text string) (n int, value string, secret bool, err error)

// syntax is what the client knows; nil = it takes every text as it is written.
func (f *filler) syntax() syntax {
	switch f.client {
	case "vscode", "vscodium", "cursor", "windsurf":
		return f.editor
	case "claude-code":
		return f.claudeCode
	case "gemini":
		return f.gemini
	case "claude-desktop", "codex", "zed":
		return nil
	}
	return unknown
}

const notKnown = "how its client fills it in is not known"

// unknown refuses what looks like a placeholder of a client whose syntax is not known.
func unknown(text string) (n int, value string, secret bool, err error) {
	if inside, ok := braces(text); ok {
		return 0, "", false, &PlaceholderError{"${" + inside + "}", notKnown}
	}
	return 1, "$", false, nil
}

// braces returns what is in ${…} at the beginning of a text.
func braces(text string) (inside string, ok bool) {
	rest, ok := strings.CutPrefix(text, "${")
	if !ok {
		return "", false
	}
	inside, _, ok = strings.Cut(rest, "}")
	return inside, ok
}

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
