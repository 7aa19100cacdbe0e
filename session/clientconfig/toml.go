package clientconfig

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// A table is a [header] of a TOML file with the keys in it, or the keys before
// the first header.
type table struct {
	path  []string
	at    span // at goes from the header to the end of the last key's value.
	array bool // array reports whether the header has two brackets.
	items []item
}

// An item is a key with its value.
type item struct {
	key    []string // key has more than one part where it is dotted.
	keyAt  int
	value  span
	behind int // behind is the end of the line, after a comment and before the line break.
}

// scanTOML finds the tables and keys of a file that is known to be TOML.
func scanTOML(data []byte) ([]table, error) {
	s := tomlScanner{scanner{data: data}}
	if bytes.HasPrefix(data, []byte(bom)) {
		s.i = len(bom)
	}
	tables := []table{{}}
	for s.skipLines(); s.err == nil && s.i < len(data); s.skipLines() {
		now := &tables[len(tables)-1]
		if data[s.i] == '[' {
			tables = append(tables, s.header())
			continue
		}
		it := s.item()
		now.items = append(now.items, it)
		now.at.to = it.value.to
	}
	return tables, s.err
}

// A tomlScanner walks through TOML as a scanner does through JSON.
type tomlScanner struct{ scanner }

// expect passes one character.
func (s *tomlScanner) expect(c byte) {
	if s.peek() != c {
		s.fail("this is not TOML")
		return
	}
	s.i++
}

func (s *tomlScanner) skipBlanks() {
	for s.peek() == ' ' || s.peek() == '\t' {
		s.i++
	}
}

// skipLines passes blanks, line breaks and comments.
func (s *tomlScanner) skipLines() {
	for s.i < len(s.data) {
		switch s.data[s.i] {
		case ' ', '\t', '\r', '\n':
			s.i++
		case '#':
			s.i = s.lineEnd()
		default:
			return
		}
	}
}

// lineEnd returns where the line ends, before its break.
func (s *tomlScanner) lineEnd() int {
	n := bytes.IndexByte(s.data[s.i:], '\n')
	if n < 0 {
		return len(s.data)
	}
	if n > 0 && s.data[s.i+n-1] == '\r' {
		n--
	}
	return s.i + n
}

func (s *tomlScanner) header() table {
	t := table{at: span{from: s.i}}
	s.expect('[')
	if t.array = s.peek() == '['; t.array {
		s.i++
	}
	t.path = s.key()
	s.expect(']')
	if t.array {
		s.expect(']')
	}
	t.at.to = s.i
	return t
}

func (s *tomlScanner) item() item {
	it := item{keyAt: s.i}
	it.key = s.key()
	s.expect('=')
	s.skipBlanks()
	it.value.from = s.i
	s.value(0)
	it.value.to = s.i
	it.behind = s.lineEnd()
	s.skipBlanks()
	if s.i < len(s.data) && !strings.ContainsRune("\r\n#", rune(s.peek())) {
		s.fail("this is not TOML")
	}
	return it
}

// key passes a key with its dots and the blanks around it.
func (s *tomlScanner) key() []string {
	var parts []string
	for s.err == nil {
		s.skipBlanks()
		start := s.i
		switch c := s.peek(); {
		case c == '"' || c == '\'':
			s.str()
			parts = append(parts, s.text(span{start, s.i}))
		default:
			for isBareKey(s.peek()) {
				s.i++
			}
			if s.i == start {
				s.fail("a key is missing")
				return parts
			}
			parts = append(parts, string(s.data[start:s.i]))
		}
		s.skipBlanks()
		if s.peek() != '.' {
			break
		}
		s.i++
		if len(parts) == maxDepth {
			s.fail("this key has too many parts")
		}
	}
	return parts
}

func isBareKey(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '-'
}

// text returns the value of a string.
func (s *tomlScanner) text(at span) string {
	var v struct{ V string }
	if err := toml.Unmarshal([]byte("V="+at.of(s.data)), &v); err != nil {
		s.fail("this string is not TOML")
	}
	return v.V
}

// value passes a value.
func (s *tomlScanner) value(depth int) {
	if depth > maxDepth {
		s.fail("this is nested too deep")
		return
	}
	switch s.peek() {
	case '"', '\'':
		s.str()
	case '[':
		s.elems(depth)
	case '{':
		s.inline(depth)
	default:
		start := s.i
		for s.i < len(s.data) && !strings.ContainsRune(",]}#\r\n", rune(s.data[s.i])) {
			s.i++
		}
		for s.i > start && (s.data[s.i-1] == ' ' || s.data[s.i-1] == '\t') {
			s.i--
		}
		if s.i == start {
			s.fail("a value is missing")
		}
	}
}

// elems passes an array and returns where its elements are.
func (s *tomlScanner) elems(depth int) []span {
	var all []span
	s.expect('[')
	for s.skipLines(); s.err == nil && s.peek() != ']'; s.skipLines() {
		start := s.i
		s.value(depth + 1)
		all = append(all, span{start, s.i})
		s.skipLines()
		if s.peek() != ',' {
			break
		}
		s.i++
	}
	s.expect(']')
	return all
}

func (s *tomlScanner) inline(depth int) {
	s.expect('{')
	for s.skipLines(); s.err == nil && s.peek() != '}'; s.skipLines() {
		s.key()
		s.expect('=')
		s.skipBlanks()
		s.value(depth + 1)
		s.skipLines()
		if s.peek() != ',' {
			break
		}
		s.i++
	}
	s.expect('}')
}

// str passes a string of any of the four kinds.
func (s *tomlScanner) str() {
	quote := s.data[s.i : s.i+1]
	escapes := quote[0] == '"'
	end := quote
	if three := bytes.Repeat(quote, 3); bytes.HasPrefix(s.data[s.i:], three) {
		end = three
	}
	for j := s.i + len(end); j < len(s.data); j++ {
		switch {
		case escapes && s.data[j] == '\\':
			j++
		case len(end) == 1 && s.data[j] == '\n':
			s.fail("this string has no end")
			return
		case bytes.HasPrefix(s.data[j:], end):
			s.i = j + len(end)
			// Up to two quotes may be before the closing three.
			for n := 0; len(end) == 3 && n < 2 && s.peek() == quote[0]; n++ {
				s.i++
			}
			return
		}
	}
	s.fail("this string has no end")
}

// find returns the item with a plain key; nil = there is none.
func (t *table) find(key string) *item {
	for i := range t.items {
		if slices.Equal(t.items[i].key, []string{key}) {
			return &t.items[i]
		}
	}
	return nil
}

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
			s.url, s.entry = &word{t.find("url").value, s.URL}, t.urlEntry(data, len(s.fields))
			for key := range values {
				if !slices.ContainsFunc(t.items, func(it item) bool { return it.key[0] == key }) {
					s.entry.refused = "its " + key + " is in a table of its own; write that as an inline table"
				}
			}
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

// urlEntry is an entry with a URL, and as many header fields as can be read.
func (t *table) urlEntry(data []byte, fields int) *urlEntry {
	e := &urlEntry{fields: fields, quote: tomlFormat{}.quote, is: " = "}
	for _, it := range t.items {
		e.members = append(e.members, rawMember{it.key[0], string(data[it.keyAt:it.value.to])})
	}
	first := t.items[0].keyAt
	between := lineBreak(data, t.items[0].behind) + strings.TrimLeft(blankBefore(data, first), "\r\n")
	e.write = func(members []string) string {
		return string(data[t.at.from:first]) + strings.Join(members, between)
	}
	return e
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
