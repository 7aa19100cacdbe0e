package clientconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// jsonFormat is JSON, with comments and trailing commas or without.
type jsonFormat struct {
	// paths lead to the object that holds the servers, by its keys with slashes between.
	// The first counts that leads to an object of objects.
	paths    []string
	projects string // projects holds an object of projects by path, each with one of paths in it; empty = none.
	jsonc    bool   // jsonc: the client is known to read comments and trailing commas.
}

func (f jsonFormat) holder() string {
	keys := strings.Split(f.paths[0], "/")
	text := f.quote(keys[len(keys)-1])
	for _, key := range slices.Backward(keys[:len(keys)-1]) {
		text += " in " + f.quote(key)
	}
	return text
}

// quote writes the characters of HTML as they are.
func (jsonFormat) quote(text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(text) != nil {
		return `""` // strings always encode
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (f jsonFormat) entries(data []byte) ([]Server, error) {
	root, err := scanJSON(data)
	if err != nil || root == nil {
		return nil, err
	}
	if root.kind != kindObject {
		return nil, errors.New("it is not a JSON object")
	}
	all, err := f.under(data, root, "")
	if err != nil || f.projects == "" {
		return all, err
	}
	projects, err := root.object(f.projects)
	if err != nil || projects == nil {
		return all, err
	}
	if key, twice := projects.twice(); twice {
		return nil, fmt.Errorf("the key %q is there twice", key)
	}
	for i := range projects.members {
		folder, project := projects.members[i].key.text, &projects.members[i].value
		if project.kind != kindObject {
			continue
		}
		local, err := f.under(data, project, folder)
		if err != nil {
			return nil, err
		}
		all = append(all, local...)
	}
	return all, nil
}

// object returns a member that must be an object; nil = there is none, or null.
func (n *node) object(key string) (*node, error) {
	v, twice := n.get(key)
	switch {
	case twice:
		return nil, fmt.Errorf("the key %q is there twice", key)
	case v == nil || v.kind == kindOther:
		return nil, nil
	case v.kind != kindObject:
		return nil, fmt.Errorf("%q is not an object", key)
	}
	return v, nil
}

// find returns the object that holds the servers; nil = there is none.
func (f jsonFormat) find(holder *node) (*node, error) {
	var first *node
	for _, path := range f.paths {
		at := holder
		var err error
		for key := range strings.SplitSeq(path, "/") {
			if at, err = at.object(key); err != nil && len(f.paths) == 1 {
				return nil, err
			}
			if at == nil {
				break
			}
		}
		if at == nil {
			continue
		}
		if !slices.ContainsFunc(at.members, func(m member) bool { return m.value.kind != kindObject }) {
			return at, nil
		}
		if first == nil {
			first = at
		}
	}
	return first, nil
}

// under returns the entries of the servers in an object.
func (f jsonFormat) under(data []byte, holder *node, folder string) ([]Server, error) {
	servers, err := f.find(holder)
	if err != nil || servers == nil {
		return nil, err
	}
	if name, twice := servers.twice(); twice {
		return nil, fmt.Errorf("the server %q is there twice", name)
	}
	var all []Server
	for i := range servers.members {
		m := &servers.members[i]
		s := Server{Name: m.key.text, Folder: folder, From: m.key.at.from, To: m.value.at.to}
		if m.value.kind == kindObject {
			s.fromJSON(data, &m.value)
		} else {
			s.Refused = "the entry is not an object"
		}
		all = append(all, s)
	}
	return all, nil
}

// fromJSON fills the server from an object.
func (s *Server) fromJSON(data []byte, n *node) {
	s.urlJSON(n)
	s.fieldsJSON(n)
	s.environmentJSON(n)
	if v, _ := n.get("cwd"); v != nil {
		s.Cwd = v.text
	}
	s.Off = n.says(data, "disabled", "true") || n.says(data, "enabled", "false")
	commandKey := "command"
	// Zed once wrote a command as an object with path, args and env.
	if v, twice := n.get("command"); v != nil && !twice && v.kind == kindObject {
		n, commandKey = v, "path"
		s.environmentJSON(n)
	}
	command, twice := n.get(commandKey)
	args, twiceArgs := n.get("args")
	switch {
	case command != nil && !twice && args == nil && command.isList() && len(command.elems) > 0:
		s.commandList(command)
	case twice:
		s.Refused = fmt.Sprintf("the key %q is there twice", commandKey)
	case twiceArgs:
		s.Refused = `the key "args" is there twice`
	case command == nil && s.URL != "":
		s.entry = urlEntryJSON(data, n, s.From)
	case command == nil:
		s.Refused = "it has no command"
	case command.kind != kindString:
		s.Refused = "its command is not a string"
	case args != nil && !args.isList():
		s.Refused = "its args are not a list of strings"
	default:
		s.command = &word{command.at, command.text}
		s.placeJSON(data, n, commandKey, args)
	}
}

// urlJSON sets the URL. Which of several their client calls is not known here.
func (s *Server) urlJSON(n *node) {
	several := false
	for _, key := range []string{"url", "httpUrl", "serverUrl"} {
		v, twice := n.get(key)
		if v == nil || v.kind != kindString {
			continue
		}
		several = several || twice || s.url != nil
		if s.url == nil {
			s.URL, s.url = v.text, &word{v.at, v.text}
		}
	}
	if s.several = several; several {
		s.url = nil
	}
}

// urlEntryJSON is an entry with a URL, which begins with its key.
func urlEntryJSON(data []byte, n *node, from int) *urlEntry {
	e := &urlEntry{quote: jsonFormat{}.quote, is: ": "}
	for _, m := range n.members {
		e.members = append(e.members, rawMember{m.key.text, string(data[m.key.at.from:m.value.at.to])})
		if m.key.text == "headers" {
			e.fields += len(m.value.members)
		}
	}
	between := blankBefore(data, n.members[0].key.at.from)
	end := string(data[n.members[len(n.members)-1].value.at.to : n.at.to-1])
	if !isBlank([]byte(end)) {
		end = between
	}
	e.write = func(members []string) string {
		return string(data[from:n.at.from]) + "{" + between + strings.Join(members, ","+between) + end + "}"
	}
	return e
}

// says reports whether a member is written as a word: true or false.
func (n *node) says(data []byte, key, word string) bool {
	v, _ := n.get(key)
	return v != nil && v.kind == kindOther && v.at.of(data) == word
}

// isList reports whether a node is an array of strings.
func (n *node) isList() bool {
	for i := range n.elems {
		if n.elems[i].kind != kindString {
			return false
		}
	}
	return n.kind == kindArray
}

// commandList takes a command that is written with its arguments, as a list.
func (s *Server) commandList(n *node) {
	first := n.elems[0]
	s.command, s.args, s.inList = &word{first.at, first.text}, &list{at: n.at}, true
	for _, v := range n.elems[1:] {
		s.args.words = append(s.args.words, word{v.at, v.text})
	}
}

// placeJSON notes where args are, or would be.
func (s *Server) placeJSON(data []byte, n *node, commandKey string, args *node) {
	s.gap = s.command.at.to
	keyAt := 0
	for _, m := range n.members {
		switch m.key.text {
		case commandKey:
			s.lead = "," + blankBefore(data, m.key.at.from) + `"args": `
		case "args":
			keyAt = m.key.at.from
		}
	}
	if args == nil {
		return
	}
	s.args = &list{at: args.at}
	for _, v := range args.elems {
		s.args.words = append(s.args.words, word{v.at, v.text})
	}
	if keyAt > s.gap {
		if between, ok := bytes.CutPrefix(data[s.gap:keyAt], []byte(",")); ok && isBlank(between) {
			s.tail = span{s.gap, args.at.to}
		}
	}
}

// environmentJSON adds the variables of an object's env.
func (s *Server) environmentJSON(n *node) {
	for _, key := range []string{"env", "environment"} { // The latter is OpenCode's.
		env, _ := n.get(key)
		if env == nil {
			continue
		}
		for _, m := range env.members {
			value := m.value.text
			if m.value.kind == kindOther {
				value = "" // numbers and null are written in ways that only their client knows
			}
			s.env = append(s.env, m.key.text+"="+value)
		}
	}
}

// blankBefore returns how a key is set off from what is before it: its line
// break and indentation, or one blank where it is in a line with others.
func blankBefore(data []byte, at int) string {
	from := at
	for from > 0 && (data[from-1] == ' ' || data[from-1] == '\t') {
		from--
	}
	if from == 0 || data[from-1] != '\n' {
		return " "
	}
	from--
	if from > 0 && data[from-1] == '\r' {
		from--
	}
	return string(data[from:at])
}

func isBlank(text []byte) bool { return len(bytes.Trim(text, " \t\r\n")) == 0 }

func (jsonFormat) secrets(data []byte) []span {
	root, err := scanJSON(data)
	if err != nil || root == nil {
		return nil
	}
	return root.secrets(false, nil)
}

// secrets adds the values that are secret, or within something that is.
func (n *node) secrets(within bool, to []span) []span {
	switch n.kind {
	case kindString, kindOther:
		if within {
			to = append(to, n.at)
		}
	case kindArray:
		for i := range n.elems {
			to = n.elems[i].secrets(within, to)
		}
	case kindObject:
		for i := range n.members {
			key, value := n.members[i].key.text, &n.members[i].value
			hidden := within || holdsSecrets(key) || isSecret(key) && value.kind == kindString
			to = value.secrets(hidden, to)
		}
	}
	return to
}

// holdsSecrets reports whether everything below a key is better not shown.
func holdsSecrets(key string) bool {
	switch strings.ToLower(key) {
	case "env", "envs", "environment", "headers", "http_headers", "oauth", "oauthaccount":
		return true
	}
	return false
}

// isSecret reports whether the string that a key holds is better not shown.
func isSecret(key string) bool {
	key = strings.ToLower(key)
	parts := []string{"token", "secret", "password", "apikey", "api_key", "authorization"}
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(key, part) })
}
