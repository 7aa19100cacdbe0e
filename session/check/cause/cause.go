package cause

import (
	_ "embed"
	"regexp"
	"strconv"
	"strings"

	"wiretea/session/lazy"
)

// A Cause is the most likely meaning of a program's last output.
type Cause struct {
	ID     string // ID is a short name: "missing-python-module".
	Reason string // Reason is a clause: "a Python module is missing".
	Mend   string // Mend is what to change, one line that begins with a verb.
}

// A kind recognizes a cause in a statement. causes.txt describes its fields.
type kind struct {
	id           string
	words        []string
	match        string
	reason, mend string
	say          string

	expr lazy.Value[*regexp.Regexp] // expr is match, compiled when it is first needed.
}

// Connecting is the id of the cause that holds only as long as nothing else was said.
const Connecting = "connecting"

//go:embed causes.txt
var causesText string

// A table holds the parsed causes.txt.
type table struct {
	kinds    []*kind
	waits    []*kind          // waits are of programs that run and do not respond.
	lists    map[string]*kind // lists of words, by their names.
	services map[string]string
	parts    map[string]string
}

var causes = lazy.Value[*table]{New: func() *table {
	t := &table{lists: map[string]*kind{}, services: map[string]string{}, parts: map[string]string{}}
	var k *kind
	for line := range lazy.Lines(causesText) {
		key, rest, _ := strings.Cut(strings.TrimLeft(line, " "), " ")
		name, value, _ := strings.Cut(rest, " ")
		switch key {
		case "part":
			t.parts[name] = t.expand(value)
		case "service":
			t.services[name] = value
		case "cause":
			k = &kind{id: rest}
			t.kinds = append(t.kinds, k)
		case "wait":
			k = &kind{id: rest}
			t.waits = append(t.waits, k)
		case "list":
			k = &kind{}
			t.lists[rest] = k
		case "words":
			for quoted, err := strconv.QuotedPrefix(rest); err == nil; quoted, err = strconv.QuotedPrefix(rest) {
				k.words = append(k.words, quoted[1:len(quoted)-1])
				rest = strings.TrimPrefix(rest[len(quoted):], " ")
			}
		case "match":
			k.match += rest
		case "reason":
			k.reason = rest
		case "mend":
			k.mend = rest
		case "say":
			k.say = rest
		}
	}
	return t
}}

// listed returns the words of a list of the table.
func listed(name string) []string { return causes.Get().lists[name].words }

// expand inserts the parts into an expression.
func (t *table) expand(expr string) string {
	for name, part := range t.parts {
		expr = strings.ReplaceAll(expr, "{"+name+"}", part)
	}
	return expr
}

// longest is how much of a statement is looked at.
const longest = 1 << 10

// Of returns the cause in a statement of a program that ended, nil if it has no
// known one.
func Of(statement []byte) *Cause {
	c, _ := find(statement)
	return c
}

// find returns the cause in a statement, and where in it the cause is.
func find(statement []byte) (c *Cause, at []int) {
	plain, _ := Plain(statement[:min(len(statement), longest)])
	text := string(plain)
	lower := strings.ToLower(text)
	for _, k := range causes.Get().kinds {
		if c, at := k.cause(text, lower); c != nil {
			return c, at
		}
	}
	return nil, nil
}

func (k *kind) cause(text, lower string) (c *Cause, at []int) {
	for _, word := range k.words {
		if i := strings.Index(lower, word); i >= 0 {
			at = []int{i, i + len(word)}
			break
		}
	}
	if at == nil || len(lower) != len(text) && at[1] > len(text) {
		return nil, nil
	}
	var groups []string
	if k.match != "" {
		m := k.expr.From(func() *regexp.Regexp { return regexp.MustCompile(causes.Get().expand(k.match)) }).FindStringSubmatchIndex(text)
		if m == nil {
			return nil, nil
		}
		if m[1]-m[0] <= shown*3/5 {
			at = m[:2]
		}
		for i := 2; i < len(m); i += 2 {
			if m[i] >= 0 && m[i] < m[i+1] {
				groups = append(groups, strings.TrimRight(text[m[i]:m[i+1]], ".,:;"))
			}
		}
	}
	c = &Cause{ID: k.id, Reason: fill(k.reason, groups), Mend: fill(k.mend, groups)}
	if k.say != "" {
		if c.Reason, c.Mend = say(k.say, groups); c.Reason == "" {
			return nil, nil
		}
	}
	if isCommand(c.Mend) && !k.plainWords(c.Mend, groups) {
		c.Mend = "read what its stderr tells you to run"
	}
	return c, at
}

// plainWords reports whether what the mend takes from a text has no character that means
// something to a shell.
func (k *kind) plainWords(mend string, groups []string) bool {
	const special = "\\;&|$`<>(){}*?!#\"'"
	if k.say != "" {
		return !strings.ContainsAny(mend, special)
	}
	for i, group := range groups {
		if strings.Contains(k.mend, placeholder(i)) && strings.ContainsAny(group, special) {
			return false
		}
	}
	return true
}

// placeholder stands for a group in a text.
func placeholder(i int) string { return "$" + string(rune('1'+i)) }

// isCommand reports whether a text has a command that may be pasted into a shell. Its
// words are the server's, and must be words.
func isCommand(mend string) bool {
	return strings.HasPrefix(mend, "run ") || strings.HasPrefix(mend, "start it with ") || strings.Contains(mend, "npm rebuild ")
}

// fill inserts groups into a text.
func fill(text string, groups []string) string {
	for i, group := range groups {
		text = strings.ReplaceAll(text, placeholder(i), group)
	}
	return text
}

// OfSilence returns the cause in a line of a program that runs but does not
// respond on stdout: it waits for a person, or listens on a port. nil if it is neither.
func OfSilence(line []byte) *Cause {
	plain, _ := Plain(line[:min(len(line), longest)])
	text := string(plain)
	for _, k := range append(causes.Get().kinds[:1:1], causes.Get().waits...) {
		if c, _ := k.cause(text, strings.ToLower(text)); c != nil {
			return c
		}
	}
	return nil
}
