package clientconfig

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"wiretea/session/lazy"
)

// ErrURLForm is returned when a server's URL cannot be given to tee.
var ErrURLForm = errors.New("only a URL like https://host/path can be wrapped: no user in it")

const (
	// entryVar is the variable, in a wrapped entry that had a URL, with the bytes of that
	// entry.
	entryVar = "WIRETEA_ENTRY"

	// headerVar begins the names of variables with the values of its header fields: other
	// users of the machine can read arguments.
	headerVar = "WIRETEA_HEADER_"
)

var (
	plainURL    = lazy.Regexp{Text: `^(https?://|\$\{)[^@?#]*([?#]|$)`}
	secretUser  = lazy.Regexp{Text: `(://|:\\/\\/)[^/\\?#]*@`}
	secretQuery = lazy.Regexp{Text: `\?[^#]*`}
)

// ShownURL is the text of a URL without what may be secret in it: its user, and its query.
func ShownURL(text string) string {
	return secretQuery.Get().ReplaceAllString(secretUser.Get().ReplaceAllString(text, "${1}•••@"), "?•••")
}

// ofURL members are about the URL and how it is called: tee has them instead. What is said
// by ofLogin has no flag.
var (
	ofURL   = []string{"url", "httpUrl", "serverUrl", "headers", "env", "environment", "command", "args", "http_headers", "env_http_headers", "bearer_token_env_var"}
	ofType  = []string{"type", "transport", "transportType"}
	ofLogin = []string{"oauth", "auth", "authProviderType", "headersHelper", "headersCommand"}
)

// A rawMember is a member of an entry as it is written.
type rawMember struct{ name, text string }

// A urlEntry is an entry with a URL as its format reads it.
type urlEntry struct {
	members []rawMember
	fields  int // fields is how many header fields are written.
	refused string
	quote   func(string) string
	is      string // is stands between a name and its value.

	// write is the entry with other members.
	write func(members []string) string
}

// variables are NAME=value.
type variables []string

// member writes a member with a string, a list of strings, or variables.
func (e *urlEntry) member(name string, value any) string {
	if e.is == ": " {
		name = e.quote(name) // TOML's names of members need no quotes.
	}
	text := name + e.is
	var words []string
	switch v := value.(type) {
	case []string:
		for _, w := range v {
			words = append(words, e.quote(w))
		}
		text += "[" + strings.Join(words, ", ") + "]"
	case variables:
		for _, pair := range v {
			name, value, _ := strings.Cut(pair, "=")
			words = append(words, e.quote(name)+e.is+e.quote(value))
		}
		text += "{" + strings.Join(words, ", ") + "}"
	case string:
		text += e.quote(v)
	}
	return text
}

// wrapURL is the entry as one that starts tee, which calls the URL.
func (s Server) wrapURL(data []byte, binary string) (text string, err error) {
	e := s.entry
	switch {
	case e == nil:
		return "", errors.New("wrap changes entries with a URL in JSON and TOML only; make wiretea tee URL the command of this one")
	case !plainURL.Get().MatchString(s.URL):
		return "", ErrURLForm
	case e.refused != "":
		return "", errors.New(e.refused)
	case e.fields != len(s.fields):
		return "", errors.New("not all of its header fields are strings")
	}
	args, env := []string{"tee", "--name", s.Name}, s.Environ()
	var passed []string
	for i, f := range s.fields {
		name := fmt.Sprint(headerVar, i+1)
		if f.variable {
			name = f.Value
			passed = append(passed, name)
		} else {
			env = append(env, name+"="+f.Value)
		}
		if f.bearer {
			args = append(args, "--token-env="+name)
		} else {
			args = append(args, "--header-env="+f.Name+"="+name)
		}
	}
	args = append(args, s.URL)
	env = append(env, entryVar+"="+string(data[s.From:s.To]))
	var members []string
	started, local := []string{e.member("command", binary), e.member("args", args), e.member("env", variables(env))}, false
	for _, m := range e.members {
		switch {
		case slices.Contains(ofLogin, m.name):
			return "", fmt.Errorf("tee has no flag for its %s", m.name)
		case slices.Contains(ofType, m.name):
			kind := "stdio"
			if local = strings.Contains(m.text, `"remote"`); local { // OpenCode's
				kind = "local"
			}
			members = append(members, e.member(m.name, kind))
		case !slices.Contains(ofURL, m.name):
			members = append(members, m.text)
		}
	}
	if local {
		started = []string{e.member("command", append([]string{binary}, args...)), e.member("environment", variables(env))}
	}
	if len(passed) > 0 {
		started = append(started, e.member("env_vars", passed)) // Codex gives a server no others.
	}
	return e.write(append(started, members...)), nil
}

// completeURL sets what a wrapped entry with a URL was.
func (s *Server) completeURL() {
	own := map[string]string{}
	for _, pair := range s.env {
		name, value, _ := strings.Cut(pair, "=")
		own[name] = value
	}
	if s.original = own[entryVar]; s.original == "" {
		return
	}
	words := s.args.words
	s.url = &words[len(words)-1]
	s.URL, s.Command, s.Args, s.Refused = s.url.text, "", nil, ""
	s.env = slices.DeleteFunc(s.env, func(pair string) bool {
		return strings.HasPrefix(pair, entryVar+"=") || strings.HasPrefix(pair, headerVar)
	})
	for _, w := range words {
		f := Field{}
		if text, is := strings.CutPrefix(w.text, "--header-env="); is {
			f.Name, f.Value, _ = strings.Cut(text, "=")
		} else if text, is := strings.CutPrefix(w.text, "--token-env="); is {
			f = Field{Name: "Authorization", Value: text, bearer: true}
		} else {
			continue
		}
		value, set := own[f.Value]
		if f.variable = !set; set {
			f.Value = value
		}
		s.fields = append(s.fields, f)
	}
}
