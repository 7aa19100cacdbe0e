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

// Bounds of what is looked at.
const (
	maxRows  = 1 << 16 // maxRows is how many of the latest rows.
	maxLines = 60      // maxLines is how many of the latest lines of stderr that say something.
	maxReads = 200     // maxReads is how many lines of stderr are read for that.

	// linesCount is how long before the end a line may have come to belong to it.
	linesCount = int64(10 * time.Second)
)

// evidence is what one connection shows besides its findings.
type evidence struct {
	lines [][]byte // lines are the last ones of stderr that say something, the latest first.
	last  []byte   // last is the one that says best what is wrong.
}

// evidence collects what a connection shows up to a time.
func (c *chart) evidence(con *session.Conn, at int64) evidence {
	var e evidence
	var times []int64
	reads := 0
	for i := c.s.Len() - 1; i >= max(0, c.s.Len()-maxRows) && c.read != nil && reads < maxReads && len(e.lines) < maxLines; i-- {
		row := c.s.Row(uint32(i))
		if row.Kind != session.RowStderr || int(row.Conn) != con.ID || row.T < at-linesCount {
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

// saysSomething reports whether a line is more than a brace or nothing.
func saysSomething(line []byte) bool { return len(strings.TrimSpace(string(line))) > 2 }

// cause reads the line that says best what is wrong, else the latest one that
// says something known; nil where none does.
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

// shownLine is where a line of stderr is cut in a sentence, in bytes.
const shownLine = 120

// printable is a line with nothing that a terminal obeys.
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
