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

func (f tomlFormat) entries(data []byte) ([]entry, error) {
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
	var all []entry
	written := serverTables(tables)
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		e := entry{name: name}
		values, ok := servers[name].(map[string]any)
		if !ok {
			e.refused = "the entry is not a table"
		} else {
			e.fromTOML(data, values, written[name])
		}
		all = append(all, e)
	}
	slices.SortStableFunc(all, func(a, b entry) int { return a.at.from - b.at.from })
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

// fromTOML fills the entry from its values and from where they are written.
func (e *entry) fromTOML(data []byte, values map[string]any, t *table) {
	e.url, _ = values["url"].(string)
	e.cwd, _ = values["cwd"].(string)
	enabled, says := values["enabled"].(bool)
	e.off = says && !enabled
	env, _ := values["env"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(env)) {
		value, _ := env[name].(string)
		e.env = append(e.env, name+"="+value)
	}
	command, hasCommand := values["command"]
	text, isString := command.(string)
	args, hasArgs := values["args"]
	texts, isList := stringList(args)
	if t != nil {
		e.at = t.at
	}
	switch {
	case !hasCommand && e.url != "":
		return
	case !hasCommand:
		e.refused = "it has no command"
		return
	case !isString:
		e.refused = "its command is not a string"
		return
	case hasArgs && !isList:
		e.refused = "its args are not a list of strings"
		return
	}
	e.command = &word{text: text}
	if hasArgs {
		e.args = &list{}
		for _, arg := range texts {
			e.args.words = append(e.args.words, word{text: arg})
		}
	}
	if t == nil || t.find("command") == nil || hasArgs && t.find("args") == nil {
		e.refused = fmt.Sprintf("it is an inline table or has dotted keys; only a table [%s.%s] with its own command and args is edited", tomlServers, e.name)
		return
	}
	e.placeTOML(data, t)
}

// placeTOML notes where the command and the args are written.
func (e *entry) placeTOML(data []byte, t *table) {
	command := t.find("command")
	e.command.at = command.value
	e.gap = command.behind
	indent := strings.TrimLeft(blankBefore(data, command.keyAt), "\r\n")
	e.lead = lineBreak(data, command.behind) + indent + "args = "
	if e.args == nil {
		return
	}
	args := t.find("args")
	e.args.at = args.value
	s := tomlScanner{data: data, i: args.value.from}
	places := s.elems(0)
	if s.err != nil || len(places) != len(e.args.words) {
		e.refused = "its args are written in a way that is not understood"
		return
	}
	for i := range places {
		e.args.words[i].at = places[i]
	}
	if args.keyAt > e.gap && isBlank(data[e.gap:args.keyAt]) {
		e.tail = span{e.gap, args.value.to}
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
