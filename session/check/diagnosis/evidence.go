package diagnosis

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"wiretea/session"
	"wiretea/session/check/exitcause"
)

// Bounds for the evidence.
const (
	maxRows  = 1 << 16 // maxRows is how many of the latest rows are read.
	maxLines = 60      // maxLines is how many of the latest non-empty lines of stderr are used.
	maxReads = 200     // maxReads is how many lines of stderr are read for that.

	// linesCount is how long before the end a line may have come to be related
	// to it.
	linesCount = int64(10 * time.Second)
)

// evidence is what one connection shows besides its findings.
type evidence struct {
	lines [][]byte // lines are the last non-empty lines of stderr, the latest first.
	last  []byte   // last is the line that best explains the problem.
}

// evidence collects the evidence of a connection up to a time.
func (c *chart) evidence(con *session.Conn, at int64) evidence {
	var e evidence
	var times []int64
	reads := 0
	for row := range c.latest(con.ID, session.RowStderr) {
		if c.read == nil || reads >= maxReads || len(e.lines) >= maxLines {
			break
		}
		if row.T < at-linesCount {
			continue
		}
		reads++
		if line := c.read(row); saysSomething(line) {
			e.lines, times = append(e.lines, line), append(times, row.T)
		}
	}
	var words exitcause.Words
	for i := len(e.lines) - 1; i >= 0; i-- {
		words.Add(times[i], e.lines[i])
	}
	e.last = words.Last(at)
	return e
}

// saysSomething reports whether a line is more than a brace or white space.
func saysSomething(line []byte) bool { return len(strings.TrimSpace(string(line))) > 2 }

// cause returns the cause in the line that best explains the problem, else in
// the latest line with a known cause; nil if none has one.
func (e *evidence) cause(read func([]byte) *exitcause.Cause) *exitcause.Cause {
	if e.last != nil {
		if cause := read(e.last); cause != nil {
			return cause
		}
	}
	for _, line := range e.lines {
		if cause := read(line); cause != nil {
			return cause
		}
	}
	return nil
}

// shownLine is the maximum length of a line of stderr in a sentence, in bytes.
const shownLine = 120

// printable returns a line without control characters and escape sequences.
func printable(line []byte) string {
	line, _ = exitcause.Plain(line)
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(string(line), "�") {
		switch {
		case b.Len() >= shownLine:
			b.WriteString("…")
			return b.String()
		case unicode.IsPrint(r) || r == utf8.RuneError:
			b.WriteRune(r)
		case r == '\t':
			b.WriteByte(' ')
		default:
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return strings.TrimSpace(b.String())
}
