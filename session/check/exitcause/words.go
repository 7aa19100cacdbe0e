package exitcause

import (
	"bytes"
	"time"
	"unicode/utf8"
)

// Words stores the lines of stderr that may explain why a server ended: the
// last one that names an exception, the last that looks like an error, and the
// last one. The zero Words are those of a server that wrote nothing. A stack
// trace names its exception before it (Node, Go, Java) or after it (Python);
// its other lines are skipped.
type Words struct {
	exception, trouble, line stderrLine

	trace bool // trace: within a Python traceback; its exception follows.
	panic bool // panic: the message of a Rust panic is on the next line.
}

// stderrLine is the beginning of a line.
type stderrLine struct {
	t    int64 // t is when it came, plus one; 0 = there is none.
	n    int
	text [160]byte
}

func (l *stderrLine) set(t int64, text []byte) {
	n := min(len(text), len(l.text))
	if n < len(text) {
		for n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
	}
	l.t, l.n = t+1, copy(l.text[:], text[:n])
}

// since returns the line if it came at t or later, else nil.
func (l *stderrLine) since(t int64) []byte {
	if l.t <= t || l.n == 0 {
		return nil
	}
	return l.text[:l.n]
}

// wordsCount is how long before the end a line may have come to be related to
// it.
const wordsCount = int64(10 * time.Second)

// Last returns the line that best explains why the server ended at t; nil if
// none came in the last seconds. w may be nil.
func (w *Words) Last(t int64) []byte {
	if w == nil {
		return nil
	}
	from := max(0, t-wordsCount)
	if reason := w.Reason(from); reason != nil {
		return reason
	}
	return w.line.since(from)
}

// Reason returns the latest line that reports an error at from or later, nil if
// there is none. w may be nil.
func (w *Words) Reason(from int64) []byte {
	if w == nil {
		return nil
	}
	if line := w.exception.since(from); line != nil {
		return line
	}
	return w.trouble.since(from)
}

// Add adds a line that came at t, in nanoseconds; times must not decrease.
func (w *Words) Add(t int64, head []byte) {
	line, _ := Plain(head)
	line = bytes.TrimRight(line, " \t\r")
	if len(line) == 0 {
		return
	}
	if bytes.HasPrefix(line, []byte("Traceback (most recent call last)")) {
		w.trace = true
		return
	}
	if line[0] == ' ' || line[0] == '\t' {
		return // Within a stack trace, or the continuation of the line above.
	}
	switch {
	case w.trace, w.panic:
		w.trace, w.panic = false, false
		w.exception.set(t, line)
	case bytes.Contains(line, []byte(" panicked at ")):
		w.panic = line[len(line)-1] == ':'
		w.exception.set(t, line)
	case isNoise(line):
	case namesException(line):
		w.exception.set(t, line)
	case Mentions(line, troubles...):
		w.trouble.set(t, line)
	default:
		w.line.set(t, line)
	}
}

// isNoise reports whether a line only accompanies an error.
func isNoise(line []byte) bool {
	for _, start := range [...]string{
		"Node.js v", "note: ", "goroutine ", "exit status ", "at ", "^", "}", "npm error code", "npm error path", "npm error errno",
		"npm error A complete log", "npm ERR! code", "npm ERR! A complete log", "During handling of", "The above exception",
		"    at ", "created by ", "main.", "runtime.",
	} {
		if bytes.HasPrefix(line, []byte(start)) {
			return true
		}
	}
	return false
}

// namesException reports whether a line begins like an uncaught exception:
// "KeyError: 'X'", "Error [ERR_X]: …", "java.lang.Exception: …", "panic: …".
func namesException(line []byte) bool {
	for _, start := range [...]string{"panic: ", "fatal error: ", "Caused by: ", "Exception in thread ", "Uncaught ", "Unhandled ", "Fatal error"} {
		if bytes.HasPrefix(line, []byte(start)) {
			return true
		}
	}
	end := bytes.IndexAny(line, ": [(")
	if end < 0 {
		end = len(line)
	}
	name := line[:end]
	for _, c := range name {
		if c != '.' && c != '_' && c != '$' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	if end == len(line) || line[end] == ':' || line[end] == ' ' && end+1 < len(line) && line[end+1] == '[' {
		return bytes.HasSuffix(name, []byte("Error")) || bytes.HasSuffix(name, []byte("Exception")) || bytes.HasSuffix(name, []byte("Interrupt"))
	}
	return false
}

// troubles are words of lines that report an error.
var troubles = []string{
	"error", "exception", "fatal", "failed", "failure", "cannot", "can't", "could not", "couldn't", "unable to", "not found", "no such",
	"denied", "refused", "invalid", "missing", "required", "unhandled", "abort", "segmentation", "out of memory", "unknown", "unexpected", "expected", "already in use",
	"no module", "not installed", "not permitted", "not recognized", "not set", "must be set", "unsupported", "requires", "incompatible",
}

// Mentions reports whether the first 512 bytes of a line have one of the words,
// which are in lower case, ignoring case.
func Mentions(line []byte, words ...string) bool {
	if len(line) == 0 {
		return false
	}
	lower := bytes.ToLower(line[:min(len(line), 512)])
	for _, w := range words {
		if bytes.Contains(lower, []byte(w)) {
			return true
		}
	}
	return false
}

// Plain removes escape sequences of the form CSI … letter from a line and
// reports whether there were any.
func Plain(line []byte) ([]byte, bool) {
	const csi = "\x1b["
	if !bytes.Contains(line, []byte(csi)) {
		return line, false
	}
	var out []byte
	for {
		before, after, found := bytes.Cut(line, []byte(csi))
		out = append(out, before...)
		if !found {
			return out, true
		}
		end := bytes.IndexFunc(after, func(r rune) bool { return r >= '@' && r <= '~' })
		line = after[end+1:]
	}
}
