package content

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"wiretea/session/json/diff"
	"wiretea/session/json/lex"
	"wiretea/session/json/schema"
	"wiretea/session/json/tree"
	"wiretea/session/text"
)

const (
	deepest    = 12  // deepest is how many levels of values are laid out as lines.
	mostItems  = 500 // mostItems is how many items of one array are.
	mostDiffer = 5   // mostDiffer is how many differences are named.

	mostColumns = 12 // mostColumns is how many members the items of a table have.
)

// structured is the structured content of a result, how it differs from the text that the
// specification wants beside it, and what is wrong with it by the tool's output schema.
// output is nil where that is not known.
func structured(v, content value, output []byte) Block {
	wrong, words := judged(v, output)
	b := Block{Title: "structured content", Notes: noted(size(len(v)), words), Bad: len(wrong) > 0}
	changes, notes := differences(v, content)
	b.Notes += notes
	b.draw = func(l *layout) {
		l.wrong = wrong
		l.members("  ", v, 0)
		l.wrong = nil
		l.differences(changes)
	}
	return b
}

// differences compares structured content with the first text that is JSON, and describes the
// result; words is empty if no text is JSON.
func differences(v, content value) (changes []diff.Change, words string) {
	for _, item := range content.items() {
		text := bytes.TrimSpace([]byte(item.get("text").text()))
		if len(text) == 0 || text[0] != '{' && text[0] != '[' || !json.Valid(text) {
			continue
		}
		changes, err := diff.Compare(text, v)
		switch {
		case err != nil:
			return nil, ""
		case len(changes) == 0:
			return nil, " · the same as the text"
		case changes[0].Path == ".":
			return nil, " · another value than the text"
		}
		return changes, " · differs from the text"
	}
	return nil, ""
}

// differences adds what is another value in the text than in the structured content.
func (l *layout) differences(changes []diff.Change) {
	for _, c := range changes[:min(len(changes), mostDiffer)] {
		words := []Part{{Ink: Warn, Text: visible(c.Path)}}
		switch c.Kind {
		case diff.Added:
			words = append(words, Part{Ink: Dim, Text: " is not in the text"})
		case diff.Removed:
			words = append(words, Part{Ink: Dim, Text: " is in the text only: "}, Part{Text: shortened(c.Old)})
		case diff.Changed:
			words = append(words, Part{Ink: Dim, Text: " is "}, Part{Text: shortened(c.New)}, Part{Ink: Dim, Text: ", in the text "}, Part{Text: shortened(c.Old)})
		}
		l.wrap([]Part{{Ink: Warn, Text: "≠ "}}, "  ", words...)
	}
	if n := len(changes) - mostDiffer; n > 0 {
		l.put(Part{Text: "  "}, Part{Ink: Dim, Text: "… " + text.Plural(int64(n), "more difference")})
	}
}

// shortened is the beginning of a value.
func shortened(raw []byte) string {
	const most = 60
	var one bytes.Buffer
	if len(raw) > MaxText || json.Compact(&one, raw) != nil {
		one.Write(raw[:min(len(raw), 4*most)])
	}
	text := visible(strings.ReplaceAll(string(one.Next(4*most)), "\n", " "))
	if r := []rune(text); len(r) > most {
		text = string(r[:most-1]) + "…"
	}
	return text
}

// maxJudged is the longest structured content that is held against a schema, in bytes.
const maxJudged = 256 << 10

// judged holds a value against a schema: what is wrong, by where it is, and what came of
// it in words.
func judged(v value, output []byte) (wrong map[string]string, words string) {
	if len(output) == 0 || len(v) > maxJudged || lex.Nesting(v) > tree.MaxDepth || !json.Valid(v) {
		return nil, ""
	}
	s, err := schema.Compile(output)
	if err != nil {
		return nil, ""
	}
	problems, err := s.Problems(tree.Read(v), nil)
	switch {
	case err != nil && len(problems) == 0:
		return nil, ""
	case len(problems) == 0:
		return nil, "matches the output schema"
	}
	wrong = map[string]string{}
	for _, p := range problems {
		at, words := p.Path, visible(p.Text)
		if n := len(at) - 1; n >= 0 && !v.has(at) { // A member that is missing has no line of its own.
			at, words = at[:n], visible(at[n])+" "+words
		}
		if key := place(at...); wrong[key] == "" {
			wrong[key] = words
		}
	}
	return wrong, "does not match the output schema"
}

// has reports whether a path leads to something in a value.
func (v value) has(path []string) bool {
	for _, name := range path {
		if v.array() {
			items, n := v.items(), -1
			if i, err := strconv.Atoi(name); err == nil {
				n = i
			}
			if n < 0 || n >= len(items) {
				return false
			}
			v = items[n]
		} else if v = v.get(name); v == nil {
			return false
		}
	}
	return true
}

// place is the key of a path in a value.
func place(path ...string) string { return strings.Join(path, "\x00") }

// members adds the members of an object, a line each, and those of its objects below
// them. Any other value is added as JSON.
func (l *layout) members(indent string, v value, depth int) {
	if !v.object() {
		l.judge(indent)
		l.json(indent, v)
		return
	}
	if depth == 0 {
		l.judge(indent) // A member that is missing is a fault of the object.
	}
	width := 0
	for key := range lex.Members(v) {
		width = min(28, max(width, len(visible(lex.Unquote(key)))))
	}
	for key, m := range lex.Members(v) {
		l.path = append(l.path, lex.Unquote(key))
		l.member(indent, visible(lex.Unquote(key)), width, m, depth)
		l.path = l.path[:len(l.path)-1]
	}
}

// judge adds what the schema says of the value at the path.
func (l *layout) judge(indent string) {
	if words := l.wrong[place(l.path...)]; words != "" {
		l.wrap([]Part{{Ink: Bad, Text: "✖ "}}, indent, Part{Ink: Bad, Text: words})
	}
}

func (l *layout) member(indent, name string, width int, m value, depth int) {
	if l.wrong != nil {
		defer l.judge(indent + "  ")
	}
	label := []Part{{Ink: inkName, Text: name + strings.Repeat(" ", max(0, width-len(name))) + "  "}}
	what, content := "", m.text()
	if inner := jsonText(m); inner != nil {
		m, what, content = inner, "JSON text, ", ""
	}
	decoded, encoded := base64Text(content)
	switch {
	case depth >= deepest && (m.object() || m.array()):
		t := jsonTree{layout: l}
		t.node(indent, "json", label, m, "")
	case m.object() && hasMembers(m):
		n := 0
		for range lex.Members(m) {
			n++
		}
		if l.within(indent, label, what+text.Plural(int64(n), "member")) {
			l.inside("", func() { l.members(indent+"  ", m, depth+1) })
		}
	case m.array() && l.tabular(indent, label, what, m, depth):
	case encoded:
		l.encoded(indent, "", label, m, decoded, "")
	case strings.Contains(strings.TrimRight(content, "\n"), "\n"):
		l.put(Part{Text: indent}, label[0])
		l.text(indent+"  ", content, languageOf("", "", content))
	case len(content) > longData && isData(content):
		l.wrap(label, indent, Part{Ink: inkString, Text: visible(content[:60])}, Part{Ink: Dim, Text: "… base64, " + text.Size(int64(len(content)))})
	case len(m) > 0 && m[0] == '"':
		text, more := head(content)
		l.wrap(label, indent, Part{Ink: inkString, Text: visible(text)})
		l.rest(indent+"  ", more)
	default:
		l.wrap(label, indent, Part{Ink: inkNumber, Text: m.words()})
	}
}

// within adds the line of a member that has others in it, and reports whether it is unfolded.
func (l *layout) within(indent string, label []Part, what string) (open bool) {
	return l.folding("", true, func(open bool) {
		l.wrap(label, indent, Part{Ink: Dim, Text: sign(open) + what})
	})
}

// longData is from how many bytes on base64 in a member is only named.
const longData = 240

// isData reports whether a text looks like data in base64.
func isData(text string) bool {
	return !strings.ContainsFunc(strings.TrimRight(text, "="), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("+/-_", r))
	})
}

// tabular adds an array: of objects with simple members as a table, of simple values as
// a line each, of others as JSON. It reports false for an empty one.
func (l *layout) tabular(indent string, label []Part, what string, m value, depth int) bool {
	items := m.items()
	if len(items) == 0 {
		return false
	}
	if l.within(indent, label, what+text.Plural(int64(len(items)), "item")) {
		l.inside("", func() { l.items(indent, items, depth) })
	}
	return true
}

// items adds the items of an array.
func (l *layout) items(indent string, items []value, depth int) {
	more := len(items) - mostItems
	items = items[:min(len(items), mostItems)]
	table := text.Table{Indent: indent}
	var head []string // head are the members of all items: one that an item lacks is blank there.
	uniform := true
	for _, item := range items {
		for key, m := range lex.Members(item) {
			if name := lex.Unquote(key); !slices.Contains(head, name) && len(head) <= mostColumns {
				head = append(head, name)
			}
			uniform = uniform && !value(m).object() && !value(m).array() && len(m) < 120
		}
		uniform = uniform && item.object()
	}
	table.Add(slices.Clone(head)...)
	for _, item := range items {
		row, n := make([]string, len(head)), 0
		for key, m := range lex.Members(item) {
			if i := slices.Index(head, lex.Unquote(key)); i >= 0 {
				row[i] = cmp.Or(value(m).words(), string(m))
			}
			n++
		}
		uniform = uniform && n == len(slices.DeleteFunc(slices.Clone(row), func(cell string) bool { return cell == "" })) // No name is twice in an item.
		table.Add(row...)
	}
	uniform = uniform && len(head) > 0 && len(head) <= mostColumns
	switch {
	case uniform && l.wrong == nil:
		l.rows(indent, table.Lines())
	default:
		for i, item := range items {
			l.path = append(l.path, strconv.Itoa(i))
			l.member(indent+"  ", strconv.Itoa(i), len(strconv.Itoa(len(items)-1)), item, depth+1)
			l.path = l.path[:len(l.path)-1]
		}
	}
	if more > 0 {
		l.put(Part{Text: indent + "  "}, Part{Ink: Dim, Text: "… " + text.Plural(int64(more), "more item")})
	}
}
