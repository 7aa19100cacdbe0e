package cause

import (
	"bytes"
	"strings"
	"time"
	"unicode/utf8"

	"wiretea/session/json/lex"
	"wiretea/session/lazy"
)

// Words stores what may explain why a program ended: the last statements that
// look like errors, and the last others. A statement is a line without its time
// and level, with the lines that belong to it. The zero Words are those of a
// program that wrote nothing. Words must not be copied after the first line.
type Words struct {
	errors, others ring
	help           statement  // help is the latest line that begins a help text.
	last           *statement // last is the latest statement, which the next lines may continue.

	open  continuation
	parts int    // parts counts what has been appended to last.
	text  []byte // text is the beginning of JSON on several lines.

	advised bool // advised: what to do about last was appended to it.

	trace, group bool   // trace: within a Python traceback, group: of an exception group.
	place, code  string // place is the latest file and line that were named, code the line of the program itself.
	own          string // own is the latest place that is not in a library.

	crash *statement // crash is an exception whose place was not named before it; its trace may follow.
}

// A continuation is what the lines after a statement mean to it.
type continuation uint8

const (
	nothing   continuation = iota
	list                   // list: it ended with a colon; indented lines are its items.
	issues                 // issues: it ended with a bracket; JSON follows.
	fields                 // fields: pairs of lines follow, a name and what is wrong with it.
	announced              // announced: the message is on the next line.
	object                 // object: the members of an error of Node may follow.
	wrapped                // wrapped: the lines after it, far to the right, continue its text.
)

// statement is the beginning of a statement.
type statement struct {
	t      int64 // t is when it came, plus one; 0 = there is none.
	weight weight
	output bool   // output: it was written to stdout.
	place  string // place is where in the program an exception was thrown; empty = unknown.
	n      int
	text   [360]byte
}

func (s *statement) append(text string) {
	n := copy(s.text[s.n:], text)
	if n < len(text) {
		for n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
	}
	s.n += n
}

func (s *statement) said() []byte { return s.text[:s.n] }

// ring has the latest statements of a kind.
type ring struct {
	kept [6]statement
	n    int // n counts all that were added.
}

func (r *ring) add(s statement) *statement {
	at := &r.kept[r.n%len(r.kept)]
	*at = s
	r.n++
	return at
}

// newest yields the statements that came at from or later, the latest first.
func (r *ring) newest(from int64) func(yield func(*statement) bool) {
	return func(yield func(*statement) bool) {
		for i := r.n - 1; i >= max(0, r.n-len(r.kept)); i-- {
			if s := &r.kept[i%len(r.kept)]; s.t > from && !yield(s) {
				return
			}
		}
	}
}

// wordsCount is how long before the end a line may have come to be related to
// it.
const wordsCount = int64(10 * time.Second)

// Last returns the statement that best explains why the program ended at t; nil
// if none came in the last seconds, or at from or later. w may be nil.
func (w *Words) Last(from, t int64) []byte {
	if w == nil {
		return nil
	}
	from = max(from, t-wordsCount)
	if reason := w.Reason(from); reason != nil {
		return reason
	}
	for _, output := range []bool{false, true} {
		for _, weight := range []weight{plain, remark} {
			for s := range w.others.newest(from) {
				if s.output == output && s.weight == weight {
					return s.said()
				}
			}
		}
	}
	return nil
}

// Reason returns the statement that reports an error at from or later, or has a
// known cause; nil if there is none. Of several errors that were logged, a later
// one that has a known cause is the reason for the end; what looks like an error
// counts only where none was logged. w may be nil.
func (w *Words) Reason(from int64) []byte {
	if w == nil {
		return nil
	}
	for _, least := range []weight{failure, trouble} {
		best, known := w.gravest(from, least, false)
		if other, itsKnown := w.gravest(from, least, true); best == nil || itsKnown && !known {
			best = other
		}
		if best != nil {
			return best.said()
		}
	}
	for s := range w.others.newest(from) {
		if s.weight == plain && Of(s.said()) != nil {
			return s.said()
		}
	}
	if w.help.t > from {
		return w.help.said()
	}
	return nil
}

// Place returns where in the program the exception was thrown that says so; empty = unknown.
func (w *Words) Place(said []byte) string {
	if w == nil {
		return ""
	}
	for s := range w.errors.newest(0) {
		if bytes.Equal(s.said(), said) {
			return s.place
		}
	}
	return ""
}

// Crash returns the latest uncaught exception or panic at from or later; nil if there
// is none. w may be nil.
func (w *Words) Crash(from int64) []byte {
	if w == nil {
		return nil
	}
	for s := range w.errors.newest(from) {
		if s.weight == fatal {
			return s.said()
		}
	}
	return nil
}

// gravest returns the latest error of at least that weight that has a known
// cause, else the latest of the greatest weight.
func (w *Words) gravest(from int64, least weight, output bool) (best *statement, known bool) {
	for s := range w.errors.newest(from) {
		if s.output != output || s.weight < least {
			continue
		}
		if Of(s.said()) != nil {
			return s, true
		}
		if best == nil || s.weight > best.weight {
			best = s
		}
	}
	return best, false
}

// Add adds a line of stderr that came at t, in nanoseconds; times must not
// decrease.
func (w *Words) Add(t int64, head []byte) { w.add(t, head, false) }

// AddOutput adds a line of stdout that is not a message.
func (w *Words) AddOutput(t int64, head []byte) { w.add(t, head, true) }

func (w *Words) add(t int64, head []byte, output bool) {
	line, _ := Plain(head)
	line = bytes.TrimRight(line, " \t\r")
	if line = w.margin(line); w.continues(line) || len(line) == 0 {
		return
	}
	if line[0] == ' ' || line[0] == '\t' {
		if line = ownLine(line); line == nil {
			return // Within a stack trace, or the continuation of the line above.
		}
	}
	text, weight := read(line)
	rich := len(withoutColumn(line)) < len(line)
	switch {
	case bytes.HasPrefix(text, []byte("Traceback (most recent call last)")):
		w.trace, w.last = true, nil
		return
	case bytes.HasPrefix(text, []byte("During handling of the above exception")):
		if w.last != nil {
			w.last.weight = remark
		}
		return
	case w.group && bytes.Contains(text[:min(len(text), 80)], []byte("ExceptionGroup: ")):
		w.trace = false
		return
	case w.trace:
		w.trace, weight = false, fatal
	case bytes.HasPrefix(text, []byte("thread '")) && bytes.HasSuffix(text, []byte(":")) && bytes.Contains(text, []byte("panicked at ")):
		w.open, w.own = announced, string(text[bytes.LastIndexByte(text, ' ')+1:len(text)-1])
		return
	case string(text) == "Error occurred during initialization of VM": // Java
		w.open = announced
		return
	case w.open == announced:
		w.open, weight = nothing, fatal
	case w.names(text), weight == noise:
		return
	}
	w.state(statement{t: t + 1, weight: weight, output: output}, text)
	if rich {
		w.open = wrapped
	}
}

// state stores a statement, and what may follow.
func (w *Words) state(s statement, text []byte) {
	s.append(string(text))
	usage := bytes.HasPrefix(bytes.ToLower(text[:min(len(text), 6)]), []byte("usage:"))
	if usage && w.last != nil && bytes.HasPrefix(w.last.said(), []byte("unknown ")) {
		w.last.append("; " + string(text)) // Whose option it is.
	}
	switch {
	case usage:
		w.help, w.last = s, &w.help
	case s.weight >= trouble:
		w.last = w.errors.add(s)
	default:
		w.last = w.others.add(s)
	}
	w.open, w.parts, w.advised = nothing, 0, false
	switch {
	case s.weight < trouble:
		w.open = w.listAfter(text)
	case bytes.HasSuffix(text, []byte("[")):
		w.open, w.text = issues, append(w.text[:0], '[')
		w.last.n -= len("[")
	case bytes.Contains(text, []byte("validation error")):
		w.open = fields
	case isSyntaxError(text) && w.place != "":
		w.last.append(" (" + strings.TrimSuffix(w.place+": "+w.code, ": ") + ")")
	case w.listAfter(text) == list:
		w.open = list
	case s.weight == fatal:
		w.open = object
	}
	if s.weight >= trouble {
		if w.crash = nil; s.weight == fatal {
			if w.crash = w.last; w.own != "" && !inLibrary.Get().MatchString(w.own) {
				w.last.place, w.crash = w.own, nil
			}
		}
		w.place, w.code, w.own = "", "", ""
	}
}

func (w *Words) listAfter(text []byte) continuation {
	if text[len(text)-1] == ':' {
		return list
	}
	return nothing
}

func isSyntaxError(text []byte) bool {
	name, _, _ := bytes.Cut(text, []byte(":"))
	return string(name) == "SyntaxError" || string(name) == "IndentationError" || string(name) == "TabError"
}

// margin cuts the margin from a line of a Python exception group, and returns nil
// for one that only separates.
func (w *Words) margin(line []byte) []byte {
	inner := bytes.TrimLeft(line, " ")
	if bytes.HasPrefix(inner, []byte("+ Exception Group Traceback")) {
		w.group = true
		return inner[2:]
	}
	if bytes.HasPrefix(inner, []byte(`|   File "`)) {
		w.group = true // Its beginning was not seen.
	}
	if !w.group || len(inner) == 0 {
		return line
	}
	switch inner[0] {
	case '|':
		return bytes.TrimPrefix(inner[1:], []byte(" "))
	case '+':
		return nil
	}
	w.group = false
	return line
}

// ownLine returns the text of an indented line that is a statement of its own,
// else nil.
func ownLine(line []byte) []byte {
	inner := bytes.TrimLeft(line, " \t")
	if rest, ok := bytes.CutPrefix(inner, []byte("× ")); ok { // uv before 0.9
		return append([]byte("error: "), rest...)
	}
	if richError.Get().Match(line) {
		return inner
	}
	if line[0] == '\t' && namesException(inner) && !bytes.HasPrefix(inner, []byte("at ")) { // Java
		return inner
	}
	return nil
}

// richError matches a line of rich in the same second as the one before.
var richError = lazy.Regexp{Text: `^ {15,}(?:ERROR|CRITICAL) `}

// located matches a line that names a place in a program: of Python and of Node.
var located = lazy.Regexp{Text: `^(?:  File "([^"]+)", line (\d+)|(?:file://)?(/[^\s:]+|\[stdin\]):(\d+)$)`}

// names stores the place that a line names, and reports whether it does.
func (w *Words) names(line []byte) bool {
	m := located.Get().FindSubmatch(line)
	switch {
	case m == nil:
		return false
	case m[1] != nil:
		w.place = string(m[1]) + ", line " + string(m[2])
	default:
		w.place = string(m[3]) + ":" + string(m[4])
	}
	if w.code = ""; !inLibrary.Get().MatchString(w.place) {
		w.own = w.place
	}
	return true
}

// frame matches a line of the trace below an exception: of Node and Java, of Go.
var frame = lazy.Regexp{Text: `^\s+at (?:.*\()?(?:file://)?((?:[A-Za-z]:)?[^\s():]+:\d+)(?::\d+)?\)?$|^\t(\S+\.go:\d+)`}

// inLibrary matches what names a place outside of the program.
var inLibrary = lazy.Regexp{Text: `node:|node_modules/|/(?:site|dist)-packages/|/lib/python|^<|^\[|at (?:java|jdk|sun)\.|/src/(?:runtime|internal)/|/go/src/|/pkg/mod/|/rustc/|/\.cargo/`}

// thrown has the exception above take its place from its trace.
func (w *Words) thrown(line []byte) {
	if m := frame.Get().FindSubmatch(line); m != nil && !inLibrary.Get().Match(bytes.TrimLeft(line, " \t")) {
		w.crash.place, w.crash = string(m[1])+string(m[2]), nil
	}
}

// continues reports whether a line continues the statement before it, or explains
// the next one, which it stores.
func (w *Words) continues(line []byte) bool {
	inner := string(bytes.TrimLeft(line, " \t"))
	indented := len(inner) < len(line)
	if w.open == issues {
		w.issue(line)
		return true
	}
	if indented && w.crash != nil {
		w.thrown(line)
	}
	switch {
	case inner == "":
		if w.open != object && w.open != announced {
			w.open = nothing
		}
		return true
	case indented && w.names(line):
		return true
	case w.place != "" && w.code == "" && (indented || !strings.Contains(w.place, ", line ")):
		w.code = inner
		return true
	case w.last == nil:
		return false
	case indented && ownLine(line) != nil:
		return false
	case indented || strings.HasPrefix(inner, "- "):
		return w.part(inner) || w.item(inner)
	}
	return w.sibling(inner)
}

// part appends what tools write on lines of their own below an error, indented or
// not, and reports whether inner is such a line.
func (w *Words) part(inner string) bool {
	for _, start := range [...]string{"cause: ", "╰─▶ ", "├─▶ ", "what():", "[cause]: ", "--> "} {
		if strings.HasPrefix(inner, "fatal: ") && w.last.weight >= trouble {
			w.last.n = 0 // Git, whose whole command precedes it.
			w.last.append(inner)
			return true
		}
		if rest, ok := strings.CutPrefix(inner, start); ok && w.last.weight >= trouble {
			if bytes.Contains(w.last.said(), []byte("No solution found")) {
				w.last.n = 0 // uv says why on the next line.
			}
			w.last.append(separator(w.last.n, "", ": ") + strings.TrimSpace(rest))
			return true
		}
	}
	return false
}

// sibling appends a line that is not indented, and reports whether it belongs to
// the statement before it.
func (w *Words) sibling(inner string) bool {
	text := w.last.said()
	rest, npm := npmError([]byte(inner))
	switch {
	case w.open == fields && w.parts < 6:
		return w.item(inner)
	case w.last.weight >= trouble && !w.advised && advice.Get().MatchString(inner):
		w.advised = true
		w.last.append(" " + inner)
		return true
	case inner == "Caused by:": // anyhow
		w.open, w.parts = list, 0
		w.last.append(":")
		return true
	case npm && bytes.HasPrefix(text, []byte("npm error code")) && (bytes.HasPrefix(rest, []byte("path ")) || bytes.HasPrefix(rest, []byte("syscall "))):
		_, value, _ := bytes.Cut(rest, []byte(" "))
		w.last.append(" " + string(value))
		return true
	case strings.HasSuffix(inner, "are available:") || strings.HasPrefix(inner, "Use `"): // uv
		w.last.append(". " + inner)
		w.open, w.parts = list, 0
		return true
	case w.open == list && w.parts == 0 && w.last.weight >= trouble && Mentions([]byte(inner), listed("troubles")...) && !npm:
		return w.item(inner)
	}
	return false
}

// item appends a line that belongs to an open statement, and reports whether it
// is open.
func (w *Words) item(inner string) bool {
	const most = 6
	if w.open == nothing || w.parts >= most {
		return false
	}
	switch w.open {
	case object:
		if m := member.Get().FindStringSubmatch(inner); m != nil && !one("ignoredMembers", m[1]) {
			w.last.append(" (" + m[1] + ": " + strings.Trim(m[2], " ],") + ")")
			w.parts++
		}
		return true
	case fields:
		message, _, _ := strings.Cut(inner, " [type=")
		switch {
		case strings.HasPrefix(inner, "For further information"):
			return true
		case message != inner || w.parts%2 == 1:
			w.last.append(": " + message)
		default:
			w.last.append(separator(w.parts, ": ", "; ") + inner)
		}
	case list:
		if strings.HasPrefix(inner, "at ") {
			return true
		}
		inner = strings.TrimPrefix(inner, "- ")
		if _, rest, ok := strings.Cut(inner, ": "); ok && strings.Trim(inner[:len(inner)-len(rest)-2], "0123456789") == "" {
			inner = rest // The items of anyhow have numbers.
		}
		w.last.append(separator(w.parts, " ", ", ") + inner)
	case wrapped:
		w.last.append(" " + inner)
	case nothing, issues, announced:
		return false
	}
	w.parts++
	return true
}

// advice matches the beginning of a line that says what to do about an error.
var advice = lazy.Regexp{Text: `^(?:Please )?(?:[Ss]et|[Pp]rovide|[Ee]xport|[Pp]ass|[Dd]efine|[Rr]un|[Ii]nstall) `}

func separator(n int, first, others string) string {
	if n == 0 {
		return first
	}
	return others
}

// member matches a member of an error that Node prints, with a text.
var member = lazy.Regexp{Text: `^(\w+): (?:\[ )?(['"].*)$`}

// issue adds a line of the JSON that follows a statement, and appends what it
// says once it is whole.
func (w *Words) issue(line []byte) {
	const most = 4 << 10
	w.text = append(w.text, line...)
	if string(line) != "]" && len(w.text) < most {
		return
	}
	for i, item := range lex.Items(w.text) {
		var path []string
		for _, step := range lex.Items(lex.Get(item, "path")) {
			path = append(path, strings.Trim(string(step), `"`))
		}
		said := lex.Unquote(lex.Get(item, "message"))
		if len(path) > 0 {
			said = strings.Join(path, ".") + ": " + said
		}
		w.last.append(separator(i, "", "; ") + said)
	}
	w.open, w.text = nothing, nil
}
