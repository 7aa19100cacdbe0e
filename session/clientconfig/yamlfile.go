package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// maxYAML is the longest YAML file that is read, in bytes: its parser makes a node of
// everything.
const maxYAML = 1 << 20

// yamlFormat is a YAML file with a mapping of servers by name, as Goose's, or a list of
// servers with names, as Continue's.
type yamlFormat struct {
	key     string // key has the servers.
	command string // command is the key of a server's command,
	env     string // env that of its variables,
	url     string // url that of its URL.
}

func (f yamlFormat) holder() string { return f.key + ":" }

// quote is a string in double quotes: YAML knows JSON's escapes.
func (yamlFormat) quote(text string) string { return jsonFormat{}.quote(text) }

// A yamlText is a YAML file and where its lines begin.
type yamlText struct {
	data  []byte
	lines []int
	runes map[int][]int // runes are where the characters of a line begin, by the line that has others than ASCII.
	root  *yaml.Node    // root is nil in an empty file.
}

// parseYAML reads the first document of a file.
func parseYAML(data []byte) (*yamlText, error) {
	if err := checkText(data); err != nil {
		return nil, err
	}
	if len(data) > maxYAML {
		return nil, fmt.Errorf("it is longer than %d KiB", maxYAML>>10)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("it is not YAML: %w", err)
	}
	t := &yamlText{data: data, lines: []int{0}, runes: map[int][]int{}}
	for i := 0; i < len(data); i++ {
		switch rest := string(data[i:min(len(data), i+3)]); {
		case data[i] == '\n', data[i] == '\r' && !strings.HasPrefix(rest, "\r\n"):
			t.lines = append(t.lines, i+1)
		case strings.HasPrefix(rest, "\u0085"):
			t.lines = append(t.lines, i+2)
		case strings.HasPrefix(rest, "\u2028"), strings.HasPrefix(rest, "\u2029"):
			t.lines = append(t.lines, i+3)
		}
	}
	if len(doc.Content) > 0 {
		t.root = doc.Content[0]
	}
	return t, nil
}

// offset returns where a node begins.
func (t *yamlText) offset(n *yaml.Node) int {
	if n.Line < 1 || n.Line > len(t.lines) {
		return len(t.data)
	}
	from := t.lines[n.Line-1]
	runes, seen := t.runes[n.Line]
	if !seen {
		to := len(t.data)
		if n.Line < len(t.lines) {
			to = t.lines[n.Line]
		}
		if text := string(t.data[from:to]); utf8.RuneCountInString(text) < len(text) {
			for i := range text {
				runes = append(runes, from+i)
			}
		}
		t.runes[n.Line] = runes
	}
	switch {
	case runes == nil:
		return min(from+n.Column-1, len(t.data))
	case n.Column-1 < len(runes):
		return runes[n.Column-1]
	}
	return len(t.data)
}

// scalar returns where a string on one line is written; false where it is written in
// another way.
func (t *yamlText) scalar(n *yaml.Node) (at span, ok bool) {
	if n.Kind != yaml.ScalarNode || n.Anchor != "" {
		return span{}, false
	}
	from := t.offset(n)
	text := t.data[from:]
	length := 0
	switch n.Style {
	case 0:
		if len(n.Value) > len(text) || string(text[:len(n.Value)]) != n.Value {
			return span{}, false
		}
		length = len(n.Value)
	case yaml.DoubleQuotedStyle:
		for length = 1; length < len(text) && text[length] != '"'; length++ {
			if text[length] == '\\' {
				length++
			}
		}
		length++
	case yaml.SingleQuotedStyle:
		for length = 1; length < len(text) && (text[length] != '\'' || bytes.HasPrefix(text[length:], []byte("''"))); length++ {
			if text[length] == '\'' {
				length++
			}
		}
		length++
	}
	if length == 0 || length > len(text) || bytes.ContainsAny(text[:length], "\r\n\u0085\u2028\u2029") {
		return span{}, false
	}
	return span{from, from + length}, true
}

// end returns where a node's last text ends, or begins where its end is not known.
func (t *yamlText) end(n *yaml.Node) int {
	if len(n.Content) > 0 {
		return t.end(n.Content[len(n.Content)-1])
	}
	if at, ok := t.scalar(n); ok {
		return at.to
	}
	return t.offset(n)
}

// yamlMember returns the key and the value of a member of a mapping, nil without one.
func yamlMember(n *yaml.Node, key string) (k, v *yaml.Node, twice bool) {
	if n.Kind != yaml.MappingNode {
		return nil, nil, false
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Kind == yaml.ScalarNode && n.Content[i].Value == key {
			k, v, twice = n.Content[i], n.Content[i+1], v != nil
		}
	}
	return k, v, twice
}

// yamlString returns the text of a member that is a string; empty = there is none.
func yamlString(n *yaml.Node, key string) string {
	if _, v, _ := yamlMember(n, key); v != nil && v.Kind == yaml.ScalarNode && v.ShortTag() == "!!str" {
		return v.Value
	}
	return ""
}

func (f yamlFormat) entries(data []byte) ([]Server, error) {
	t, err := parseYAML(data)
	if err != nil || t.root == nil || t.root.ShortTag() == "!!null" {
		return nil, err
	}
	if t.root.Kind != yaml.MappingNode {
		return nil, errors.New("it is not a YAML mapping")
	}
	_, holder, twice := yamlMember(t.root, f.key)
	switch {
	case twice:
		return nil, fmt.Errorf("the key %q is there twice", f.key)
	case holder == nil || holder.ShortTag() == "!!null":
		return nil, nil
	}
	var all []Server
	seen := map[string]bool{}
	add := func(name string, begin, n *yaml.Node) error {
		if seen[name] {
			return fmt.Errorf("the server %q is there twice", name)
		}
		seen[name] = true
		s := Server{Name: name, From: t.offset(begin), To: t.end(n)}
		if s.To = max(s.From, s.To); f.fill(&s, t, n) {
			all = append(all, s)
		}
		return nil
	}
	switch holder.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(holder.Content) && err == nil; i += 2 {
			err = add(holder.Content[i].Value, holder.Content[i], holder.Content[i+1])
		}
	case yaml.SequenceNode:
		for _, n := range holder.Content {
			if name := yamlString(n, "name"); name != "" && err == nil {
				err = add(name, n, n)
			}
		}
	default:
		return nil, fmt.Errorf("%q has no servers", f.key)
	}
	return all, err
}

// fill fills the server from an entry, and reports false where that is a part of the
// client and no server.
func (f yamlFormat) fill(s *Server, t *yamlText, n *yaml.Node) bool {
	if n.Kind != yaml.MappingNode {
		s.Refused = "the entry is not a mapping"
		return true
	}
	_, command, twice := yamlMember(n, f.command)
	_, args, twiceArgs := yamlMember(n, "args")
	_, url, twiceURL := yamlMember(n, f.url)
	if s.URL = yamlString(n, f.url); s.URL != "" && !twiceURL {
		if at, ok := t.scalar(url); ok {
			s.url = &word{at, s.URL}
		}
	}
	if command == nil && s.URL == "" && slices.Contains([]string{"builtin", "platform", "frontend", "inline_python"}, yamlString(n, "type")) {
		return false
	}
	s.Cwd = yamlString(n, "cwd")
	s.environmentYAML(n, f.env)
	for _, key := range []string{"enabled", "disabled"} {
		if _, v, _ := yamlMember(n, key); v != nil && v.ShortTag() == "!!bool" {
			s.Off = s.Off || (strings.ToLower(v.Value) == "true") == (key == "disabled")
		}
	}
	switch {
	case twice:
		s.Refused = fmt.Sprintf("the key %q is there twice", f.command)
	case twiceArgs:
		s.Refused = `the key "args" is there twice`
	case command == nil && s.URL != "":
	case command == nil:
		s.Refused = "it has no command"
	case command.Kind != yaml.ScalarNode || command.ShortTag() != "!!str":
		s.Refused = "its command is not a string"
	case args != nil && !isYAMLList(args):
		s.Refused = "its args are not a list of strings"
	default:
		f.place(s, t, n)
	}
	return true
}

func isYAMLList(n *yaml.Node) bool {
	return n.Kind == yaml.SequenceNode && !slices.ContainsFunc(n.Content, func(v *yaml.Node) bool { return v.Kind != yaml.ScalarNode || v.ShortTag() != "!!str" })
}

// environmentYAML sets the variables and the header fields.
func (s *Server) environmentYAML(n *yaml.Node, env string) {
	for _, key := range []string{env, "headers"} {
		_, table, _ := yamlMember(n, key)
		if table == nil || table.Kind != yaml.MappingNode {
			continue
		}
		for i := 0; i+1 < len(table.Content); i += 2 {
			name, value := table.Content[i].Value, table.Content[i+1].Value
			switch {
			case table.Content[i+1].Kind != yaml.ScalarNode:
			case key == env:
				s.env = append(s.env, name+"="+value)
			default:
				s.fields = append(s.fields, Field{Name: name, Value: value})
			}
		}
	}
}

// place notes where the command and the args are, or would be.
func (f yamlFormat) place(s *Server, t *yamlText, n *yaml.Node) {
	key, command, _ := yamlMember(n, f.command)
	argsKey, args, _ := yamlMember(n, "args")
	s.command = &word{text: command.Value}
	if args != nil {
		s.args = &list{}
		for _, v := range args.Content {
			s.args.words = append(s.args.words, word{text: v.Value})
		}
	}
	at, ok := t.scalar(command)
	if !ok || n.Style == yaml.FlowStyle || args != nil && !t.words(s.args, args) {
		s.Refused = "it is written in a way that is not edited: only strings on one line, in an entry that is not in braces, are"
		return
	}
	s.command.at = at
	s.gap = at.to
	for s.gap < len(t.data) && t.data[s.gap] != '\r' && t.data[s.gap] != '\n' {
		s.gap++
	}
	next := lineBreak(t.data, s.gap) + strings.Repeat(" ", key.Column-1)
	s.lead, s.block = next+"args:"+next+"  - ", next+"  - "
	if args == nil {
		return
	}
	if begin := t.offset(argsKey); begin > s.gap && isBlank(t.data[s.gap:begin]) {
		s.tail = span{s.gap, s.args.at.to}
	}
}

// words sets the places of a list and of its words; false where a word, or what is
// around it, is written in a way that is not edited.
func (t *yamlText) words(l *list, n *yaml.Node) bool {
	l.at.from = t.offset(n)
	if l.at.from >= len(t.data) || n.Anchor != "" {
		return false
	}
	for i, v := range n.Content {
		at, ok := t.scalar(v)
		if !ok {
			return false
		}
		l.words[i].at, l.at.to = at, at.to
	}
	if n.Style == yaml.FlowStyle {
		if len(l.words) == 0 {
			l.at.to = l.at.from + 1
		}
		for l.at.to < len(t.data) && strings.ContainsRune(" \t\r\n,", rune(t.data[l.at.to])) {
			l.at.to++
		}
		l.at.to++
		return l.at.to <= len(t.data) && t.data[l.at.from] == '[' && t.data[l.at.to-1] == ']'
	}
	line := t.lines[n.Line-1]
	indent, dash := string(t.data[line:l.at.from]), string(t.data[l.at.from:l.words[0].at.from])
	l.block = lineBreak(t.data, l.words[0].at.to) + indent + dash
	return strings.Trim(indent, " ") == "" && dash[0] == '-' && strings.Trim(dash[1:], " ") == ""
}

// secrets returns what is below the keys of variables and header fields, and below names
// of secrets. A text whose end is not known ends where the next one begins.
func (f yamlFormat) secrets(data []byte) (all []span) {
	t, err := parseYAML(data)
	if err != nil || t.root == nil {
		return nil
	}
	var starts []int
	var texts []*yaml.Node
	t.walk(t.root, false, func(n *yaml.Node, hidden bool) {
		starts = append(starts, t.offset(n))
		if hidden {
			texts = append(texts, n)
		}
	})
	slices.Sort(starts)
	for _, n := range texts {
		at, ok := t.scalar(n)
		if !ok {
			at.from = t.offset(n)
			next, _ := slices.BinarySearch(starts, at.from+1)
			if at.to = len(data); next < len(starts) {
				at.to = starts[next]
			}
			for at.to > at.from && data[at.to-1] == ' ' {
				at.to--
			}
		}
		if len(all) == 0 || all[len(all)-1].to <= at.from {
			all = append(all, at)
		}
	}
	return all
}

// walk calls visit with all scalars below a node, in their order.
func (t *yamlText) walk(n *yaml.Node, hidden bool, visit func(n *yaml.Node, hidden bool)) {
	switch n.Kind {
	case yaml.ScalarNode, yaml.AliasNode:
		visit(n, hidden)
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			t.walk(key, false, visit)
			t.walk(value, hidden || holdsSecrets(key.Value) || isSecret(key.Value), visit)
		}
	default:
		for _, v := range n.Content {
			t.walk(v, hidden, visit)
		}
	}
}
