package clientconfig

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// tomlFormat is Codex's file: a table [mcp_servers.NAME] a server.
type tomlFormat struct{}

const tomlServers = "mcp_servers"

func (tomlFormat) holder() string { return "[" + tomlServers + ".NAME]" }

// quote is a basic string. JSON's escapes are all TOML's too; TOML alone wants
// DEL escaped.
func (tomlFormat) quote(text string) string {
	return strings.ReplaceAll(jsonFormat{}.quote(text), "\x7f", `\u007f`)
}

func (f tomlFormat) entries(data []byte) ([]Server, error) {
	if err := checkText(data); err != nil {
		return nil, err
	}
	// The scanner bounds the nesting, which the library does not.
	tables, err := scanTOML(data)
	if err != nil {
		return nil, err
	}
	var whole map[string]any
	if err := toml.Unmarshal(data, &whole); err != nil {
		return nil, fmt.Errorf("it is not TOML: %w", err)
	}
	named, there := whole[tomlServers]
	if !there {
		return nil, nil
	}
	servers, ok := named.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%q is not a table", tomlServers)
	}
	var all []Server
	written := serverTables(tables)
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		s := Server{Name: name}
		values, ok := servers[name].(map[string]any)
		if !ok {
			s.Refused = "the entry is not a table"
		} else {
			s.fromTOML(data, values, written[name])
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b Server) int { return a.From - b.From })
	return all, nil
}

// serverTables returns the tables of servers by name. A server that is written
// otherwise has none.
func serverTables(tables []table) map[string]*table {
	of := map[string]*table{}
	for i := range tables {
		if t := &tables[i]; !t.array && len(t.path) == 2 && t.path[0] == tomlServers {
			of[t.path[1]] = t
		}
	}
	return of
}

// fromTOML fills the server from its values and from where they are written.
func (s *Server) fromTOML(data []byte, values map[string]any, t *table) {
	s.URL, _ = values["url"].(string)
	s.fieldsTOML(values)
	s.Cwd, _ = values["cwd"].(string)
	enabled, says := values["enabled"].(bool)
	s.Off = says && !enabled
	env, _ := values["env"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(env)) {
		value, _ := env[name].(string)
		s.env = append(s.env, name+"="+value)
	}
	command, hasCommand := values["command"]
	text, isString := command.(string)
	args, hasArgs := values["args"]
	texts, isList := stringList(args)
	if t != nil {
		s.From, s.To = t.at.from, t.at.to
	}
	switch {
	case !hasCommand && s.URL != "":
		if t != nil && t.find("url") != nil {
			s.url = &word{t.find("url").value, s.URL}
		}
		return
	case !hasCommand:
		s.Refused = "it has no command"
		return
	case !isString:
		s.Refused = "its command is not a string"
		return
	case hasArgs && !isList:
		s.Refused = "its args are not a list of strings"
		return
	}
	s.command = &word{text: text}
	if hasArgs {
		s.args = &list{}
		for _, arg := range texts {
			s.args.words = append(s.args.words, word{text: arg})
		}
	}
	if t == nil || t.find("command") == nil || hasArgs && t.find("args") == nil {
		s.Refused = fmt.Sprintf("it is an inline table or has dotted keys; only a table [%s.%s] with its own command and args is edited", tomlServers, s.Name)
		return
	}
	s.placeTOML(data, t)
}

// placeTOML notes where the command and the args are written.
func (s *Server) placeTOML(data []byte, t *table) {
	command := t.find("command")
	s.command.at = command.value
	s.gap = command.behind
	indent := strings.TrimLeft(blankBefore(data, command.keyAt), "\r\n")
	s.lead = lineBreak(data, command.behind) + indent + "args = "
	if s.args == nil {
		return
	}
	args := t.find("args")
	s.args.at = args.value
	scan := tomlScanner{scanner{data: data, i: args.value.from}}
	places := scan.elems(0)
	if scan.err != nil || len(places) != len(s.args.words) {
		s.Refused = "its args are written in a way that is not understood"
		return
	}
	for i := range places {
		s.args.words[i].at = places[i]
	}
	if args.keyAt > s.gap && isBlank(data[s.gap:args.keyAt]) {
		s.tail = span{s.gap, args.value.to}
	}
}

// lineBreak returns the break at the end of a line, or the file's where the
// line is the last and has none.
func lineBreak(data []byte, at int) string {
	if bytes.HasPrefix(data[at:], []byte("\r\n")) || at == len(data) && bytes.Contains(data, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// stringList returns what an array of strings holds.
func stringList(value any) (texts []string, ok bool) {
	all, ok := value.([]any)
	for _, v := range all {
		text, isString := v.(string)
		if !isString {
			return nil, false
		}
		texts = append(texts, text)
	}
	return texts, ok
}

func (tomlFormat) secrets(data []byte) []span {
	tables, err := scanTOML(data)
	if err != nil {
		return nil
	}
	var all []span
	for _, t := range tables {
		for _, it := range t.items {
			last := it.key[len(it.key)-1]
			path := slices.Concat(t.path, it.key)
			isString := data[it.value.from] == '"' || data[it.value.from] == '\''
			if slices.ContainsFunc(path, holdsSecrets) || isSecret(last) && isString {
				all = append(all, it.value)
			}
		}
	}
	return all
}
