package exitcause

import (
	"regexp"
	"strings"
	"sync"
)

// A Cause is the most likely meaning of a program's last output.
type Cause struct {
	ID     string // ID is a short name: "missing-python-module".
	Reason string // Reason is a clause: "a Python module is missing".
	Mend   string // Mend is what to change, one line that begins with a verb.
}

// A kind recognizes a cause in a statement.
type kind struct {
	id    string
	words []string // words are in lower case; a statement must have one of them.
	match *pattern // match must match too, if there is one.

	// reason and mend are the texts. $1 and $2 are the first and the second group of
	// match that took part, without the punctuation at their end.
	reason, mend string

	// say returns the texts for the groups instead; empty texts mean that it is no
	// such cause.
	say func(groups []string) (reason, mend string)
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
	for i := range kinds {
		if c, at := kinds[i].cause(text, lower); c != nil {
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
	if k.match != nil {
		m := k.match.regexp().FindStringSubmatchIndex(text)
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
	if k.say != nil {
		if c.Reason, c.Mend = k.say(groups); c.Reason == "" {
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
	if k.say != nil {
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

// A pattern is an expression that is compiled on first use: most sessions need none. The
// linker lays a table of them out, so that a start neither compiles nor allocates.
type pattern struct {
	expr string
	once sync.Once
	re   *regexp.Regexp
}

func compiled(expr string) *pattern { return &pattern{expr: expr} }

// regexp returns the compiled expression. It panics if the expression is not valid.
func (p *pattern) regexp() *regexp.Regexp {
	p.once.Do(func() { p.re = regexp.MustCompile(p.expr) })
	return p.re
}

// OfSilence returns the cause in a line of a program that runs but does not
// respond on stdout: it waits for a person, or listens on a port. nil if it is neither.
func OfSilence(line []byte) *Cause {
	plain, _ := Plain(line[:min(len(line), longest)])
	text := string(plain)
	for _, table := range [][]kind{kinds[:1], waits} {
		for i := range table {
			if c, _ := table[i].cause(text, strings.ToLower(text)); c != nil {
				return c
			}
		}
	}
	return nil
}
