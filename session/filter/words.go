package filter

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"wiretea/session"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
)

// A Word describes one word of the filter language, for help and
// completion.
type Word struct {
	Name    string
	Ops     []string // Ops are its operators.
	Example string
	Help    string // Help says what it selects, in one line.
	Values  []string

	make func(f *Filter, o operand) (node, string)
}

// An operand is an operator with its value.
type operand struct {
	op, text string
	quoted   bool
}

func (w *Word) takes(op string) bool { return slices.Contains(w.Ops, op) }

// Words returns the words of the filter language.
func Words() []Word { return allWords.Get() }

func wordNamed(name string) *Word {
	all := allWords.Get()
	for i := range all {
		if all[i].Name == name {
			return &all[i]
		}
	}
	return nil
}

var (
	equals   = []string{":"}
	matches  = []string{":", "~"}
	compares = []string{":", "=", ">=", "<=", ">", "<"}
)

var allWords = lazy.Value[[]Word]{New: func() []Word {
	return []Word{
		{Name: "m", Ops: matches, Example: "m:tools/call", Help: "method contains the text; with * and ? it is a pattern for the whole method; ~ takes a regular expression", make: nameWord("m", false)},
		{Name: "t", Ops: matches, Example: "t:echo", Help: "tool, prompt or URI, like m", make: nameWord("t", true)},
		{Name: "d", Ops: equals, Example: "d:s2c", Help: "stream", Values: []string{"c2s", "s2c", "err"}, make: streamWord},
		{Name: "id", Ops: equals, Example: "id:7", Help: `id, 7 or "7"`, make: idWord},
		{Name: "is", Ops: equals, Example: "is:pending", Help: "state or kind", Values: isNames(), make: isWord},
		{Name: "lat", Ops: compares, Example: "lat>500ms", Help: "latency of the exchange; for a waiting request its age", make: latencyWord},
		{Name: "size", Ops: compares, Example: "size>64k", Help: "length of the body, in bytes, k or M", make: sizeWord},
		{Name: "sev", Ops: compares, Example: "sev>=warning", Help: "highest severity of the frame's findings", Values: []string{"info", "warning", "error"}, make: severityWord},
		{Name: "level", Ops: compares, Example: "level>=warning", Help: "level of a log message", Values: mcp.LogLevels, make: levelWord},
		{Name: "rule", Ops: equals, Example: "rule:stdout-not-json", Help: "the frame has a finding of that rule; * and ? are wildcards", make: ruleWord},
		{Name: "c", Ops: equals, Example: "c:2", Help: "connection", make: numberWord("c", func(r *session.Row) uint32 { return uint32(r.Conn) })},
		{Name: "op", Ops: equals, Example: "op:12", Help: "operation", make: numberWord("op", func(r *session.Row) uint32 { return r.Op })},
		{Name: "n", Ops: equals, Example: "n:100-200", Help: "record number, or a range of them", make: numberWord("n", func(r *session.Row) uint32 { return r.N })},
		{Name: "at", Ops: []string{">=", "<=", ">", "<"}, Example: "at>=2026-11-20T10:00:01.5Z", Help: "wall time at which the last byte was read, in RFC 3339", make: wallWord},
		{Name: "trip", Ops: equals, Example: "trip:12", Help: "HTTP round trip, or a range of them", make: tripNumber},
		{Name: "status", Ops: equals, Example: "status:4xx", Help: "status of the round trip's response: 404, 4xx, or none", make: statusWord},
		{Name: "path", Ops: matches, Example: "path:/mcp", Help: "path and query of the round trip's request, like m", make: pathWord},
		{Name: "session", Ops: equals, Example: "session:8f3a", Help: "short name of the MCP session, or its beginning", make: sessionWord},
		{Name: "header", Ops: matches, Example: `header:"accept: text"`, Help: "header field of a request or a response contains the text, ignoring case; ~ takes a regular expression for the whole line", make: headerWord},
		{Name: "j", Ops: equals, Example: "j:.params.arguments.city=Rome", Help: "the JSON of the body has that member, with that value where one is given; [0] is an item, [*] any item", make: jsonWord},
		{Name: "b", Ops: matches, Example: `b:"not found"`, Help: "body contains the text, ignoring case; ~ takes a regular expression", make: bodyWord},
	}
}}

// rowTest is a word that needs only the row.
type rowTest struct {
	key, op, value string
	holds          func(at subject) bool
	unread         bool // unread: a message on its way whose text is not known is undecided.
}

func (t *rowTest) meta(at subject) Verdict {
	if t.unread && at.undecided() {
		return Body
	}
	if t.holds(at) {
		return Yes
	}
	return No
}
func (t *rowTest) match(at subject) bool { return t.holds(at) }
func (t *rowTest) write(b *strings.Builder) {
	b.WriteString(t.key)
	b.WriteString(t.op)
	b.WriteString(Value(t.value))
}

// nameTest adds a name test and returns its index.
func (f *Filter) nameTest(matches func(string) bool) int {
	f.names = append(f.names, matches)
	return len(f.names) - 1
}

func nameWord(key string, target bool) func(*Filter, operand) (node, string) {
	return func(f *Filter, o operand) (node, string) {
		match, msg := textMatch(o)
		if msg != "" {
			return nil, msg
		}
		place := f.nameTest(match)
		return &rowTest{key: key, op: o.op, value: o.text, holds: func(at subject) bool {
			if target {
				return at.target(place)
			}
			return at.method(place)
		}}, ""
	}
}

// textMatch returns the test for a short text.
func textMatch(o operand) (func(string) bool, string) {
	if o.op == "~" {
		re, err := regexp.Compile(o.text)
		if err != nil {
			return nil, regexpFault(err)
		}
		return re.MatchString, ""
	}
	if strings.ContainsAny(o.text, "*?") {
		return globMatch(o.text), ""
	}
	low := strings.ToLower(o.text)
	return func(s string) bool { return strings.Contains(s, low) || strings.Contains(strings.ToLower(s), low) }, ""
}

// globMatch returns the test for a pattern: * is any text, ? any character.
func globMatch(pattern string) func(string) bool {
	var b strings.Builder
	b.WriteString(`(?is)\A`)
	for _, r := range pattern {
		switch r {
		case '*':
			b.WriteString(".*")
		case '?':
			b.WriteString(".")
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	b.WriteString(`\z`)
	re, err := regexp.Compile(b.String())
	if err != nil {
		return func(s string) bool { return s == pattern } // too long for a regular expression
	}
	return re.MatchString
}

func regexpFault(err error) string {
	return strings.TrimPrefix(err.Error(), "error parsing ")
}

func streamWord(_ *Filter, o operand) (node, string) {
	d, ok := session.ParseStream(o.text)
	if !ok {
		return nil, "d: takes c2s, s2c or err"
	}
	return &rowTest{key: "d", op: ":", value: d.String(), holds: func(at subject) bool {
		switch at.row.Kind {
		case session.RowProc:
			return false
		default:
			return at.row.Stream == d
		}
	}}, ""
}

func idWord(_ *Filter, o operand) (node, string) {
	raws := []string{`"` + o.text + `"`}
	if !o.quoted {
		raws = append(raws, o.text)
	}
	return &idTest{text: o.text, quoted: o.quoted, raws: raws, ids: session.MatchIDs(raws...)}, ""
}

// idTest matches an id. quoted: only strings match.
type idTest struct {
	text   string
	quoted bool
	raws   []string
	ids    session.IDMatcher
}

func (t *idTest) meta(at subject) Verdict {
	if at.undecided() {
		return Body
	}
	if t.match(at) {
		return Yes
	}
	return No
}

func (t *idTest) match(at subject) bool {
	if m := at.p.passing; m != nil {
		return m.ID != "" && slices.Contains(t.raws, m.ID)
	}
	return t.ids.Match(at.p.s, at.row.ID)
}

func (t *idTest) write(b *strings.Builder) {
	b.WriteString("id:")
	if t.quoted && plainWord(t.text) {
		b.WriteString(`"` + t.text + `"`)
		return
	}
	if !t.quoted && !plainWord(t.text) {
		writeBare(b, t.text)
		return
	}
	b.WriteString(Value(t.text))
}

// writeBare writes a value that must not be parsed as one quoted text: its
// first character is outside the quotes.
func writeBare(b *strings.Builder, text string) {
	if strings.IndexByte(" \t\r\n|()\"", text[0]) < 0 {
		b.WriteByte(text[0])
		text = text[1:]
	} else {
		b.WriteString(`""`)
	}
	if text != "" {
		b.WriteString(Value(text))
	}
}

func numberWord(key string, of func(*session.Row) uint32) func(*Filter, operand) (node, string) {
	return func(_ *Filter, o operand) (node, string) {
		from, to, ranged := strings.Cut(o.text, "-")
		lo, err := strconv.ParseUint(from, 10, 32)
		if err != nil && !(ranged && from == "") {
			return nil, key + ": takes a number or a range, such as 100-200"
		}
		hi := lo
		if ranged {
			hi = math.MaxUint32
			if to != "" {
				if hi, err = strconv.ParseUint(to, 10, 32); err != nil {
					return nil, key + ": takes a number or a range, such as 100-200"
				}
			}
			if from == "" && to == "" {
				return nil, key + ": takes a number or a range, such as 100-200"
			}
		}
		return &rowTest{key: key, op: ":", value: o.text, holds: func(at subject) bool {
			n := uint64(of(at.row))
			return n >= lo && n <= hi
		}}, ""
	}
}

// compare reports whether a op b holds.
func compare(op string, a, b int64) bool {
	switch op {
	case ">":
		return a > b
	case ">=":
		return a >= b
	case "<":
		return a < b
	case "<=":
		return a <= b
	}
	return a == b
}

func wallWord(_ *Filter, o operand) (node, string) {
	want, err := time.Parse(time.RFC3339Nano, o.text)
	if err != nil {
		return nil, "at: takes a time like 2026-11-20T10:00:01.5Z"
	}
	return &rowTest{key: "at", op: o.op, value: o.text, holds: func(at subject) bool {
		wall := at.p.s.Wall(at.row.T)
		return !wall.IsZero() && compare(o.op, int64(wall.Compare(want)), 0)
	}}, ""
}

func latencyWord(_ *Filter, o operand) (node, string) {
	d, err := time.ParseDuration(o.text)
	if err != nil {
		return nil, "lat: takes a number with ns, us, ms, s, m or h"
	}
	return &rowTest{key: "lat", op: o.op, value: o.text, holds: func(at subject) bool {
		if ns, ok := at.p.s.Latency(at.i); ok {
			return compare(o.op, ns, int64(d))
		}
		return isPending(at) && compare(o.op, at.p.s.Clock()-at.row.T, int64(d))
	}}, ""
}

func sizeWord(_ *Filter, o operand) (node, string) {
	n, ok := parseSize(o.text)
	if !ok {
		return nil, "size: takes a number of bytes, with k, M or G"
	}
	return &rowTest{key: "size", op: o.op, value: o.text, unread: true, holds: func(at subject) bool {
		return at.row.Kind.HasBody() && compare(o.op, int64(at.row.Len), n)
	}}, ""
}

// parseSize reads 100, 64k, 1.5MB, 10MiB; k is 1024.
func parseSize(text string) (int64, bool) {
	low := strings.ToLower(text)
	low = strings.TrimSuffix(strings.TrimSuffix(low, "b"), "i")
	unit := 1.0
	if low != "" {
		switch low[len(low)-1] {
		case 'k':
			unit = 1 << 10
		case 'm':
			unit = 1 << 20
		case 'g':
			unit = 1 << 30
		}
	}
	if unit > 1 {
		low = low[:len(low)-1]
	}
	n, err := strconv.ParseFloat(low, 64)
	if err != nil || math.IsNaN(n) || n < 0 || n*unit > 1<<62 {
		return 0, false
	}
	return int64(n * unit), true
}

func severityWord(_ *Filter, o operand) (node, string) {
	sev, ok := session.ParseSeverity(o.text)
	if !ok {
		return nil, "sev: takes info, warning or error"
	}
	return &rowTest{key: "sev", op: o.op, value: sev.String(), holds: func(at subject) bool {
		return at.row.Sev != session.NoSeverity && compare(o.op, int64(at.row.Sev), int64(sev))
	}}, ""
}

func ruleWord(f *Filter, o operand) (node, string) {
	match := func(rule string) bool { return rule == o.text }
	if strings.ContainsAny(o.text, "*?") {
		match = globMatch(o.text)
	}
	place := len(f.rules)
	f.rules = append(f.rules, ruleOperand{o.text, match})
	return &rowTest{key: "rule", op: ":", value: o.text, holds: func(at subject) bool { return at.p.rules[place].Has(at.i) }}, ""
}

func bodyWord(_ *Filter, o operand) (node, string) {
	if o.op == "~" {
		re, err := regexp.Compile(o.text)
		if err != nil {
			return nil, regexpFault(err)
		}
		return &bodyTest{text: o.text, op: o.op, find: re.Match}, ""
	}
	l := NewLiteral(o.text)
	return &bodyTest{text: o.text, op: o.op, find: l.In, least: len(o.text)}, ""
}

func unknownIs(word string) string {
	suggest := ""
	if meant := meantName(word, isNames()); meant != "" {
		suggest = "did you mean is:" + meant + "? "
	}
	return fmt.Sprintf("unknown state %q; %sis: takes %s", word, suggest, strings.Join(isNames(), ", "))
}

// fieldsOf are the fields that other words are often written for.
var fieldsOf = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{
		"method": "m", "tool": "t", "target": "t", "name": "t", "latency": "lat", "duration": "lat", "took": "lat", "bytes": "size", "length": "size", "len": "size",
		"severity": "sev", "direction": "d", "dir": "d", "stream": "d", "body": "b", "text": "b", "state": "is", "json": "j",
	}
}}

// meantField is the field that was meant by another word; empty = none is known.
func meantField(word string) string {
	if name := fieldsOf.Get()[strings.ToLower(word)]; name != "" && wordNamed(name) != nil {
		return name
	}
	return ""
}

// meantName is the name that a word shares most letters with at its beginning, two and half
// of them at least; empty = there is none.
func meantName(word string, names []string) string {
	best, most := "", 1
	for _, name := range names {
		n := 0
		for n < len(word) && n < len(name) && word[n] == name[n] {
			n++
		}
		if n > most && 2*n >= len(word) {
			best, most = name, n
		}
	}
	return best
}

// levelWord compares the level of a log message. Unknown levels do not match.
func levelWord(f *Filter, o operand) (node, string) {
	want := slices.Index(mcp.LogLevels, strings.ToLower(o.text))
	if want < 0 {
		return nil, "level: takes " + strings.Join(mcp.LogLevels, ", ")
	}
	place := f.nameTest(func(level string) bool {
		have := slices.Index(mcp.LogLevels, level)
		return have >= 0 && compare(o.op, int64(have), int64(want))
	})
	return &rowTest{key: "level", op: o.op, value: mcp.LogLevels[want], holds: func(at subject) bool {
		return isLog(at) && at.target(place)
	}}, ""
}
