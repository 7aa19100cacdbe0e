package cause

import (
	"bytes"
	"slices"
	"time"

	"wiretea/session"
)

// Bounds for the evidence.
const (
	maxRows  = 1 << 16 // maxRows is how many of the latest rows are read.
	maxLines = 300     // maxLines is how many of the latest lines of a stream are read.

	// linesCount is how long before the end a line may have come to be related
	// to it.
	linesCount = int64(10 * time.Second)
)

// evidence is what one connection shows besides its findings.
type evidence struct {
	lines  [][]byte // lines are the last non-empty lines of stderr, the latest first.
	output [][]byte // output are the last lines of stdout before the first response, the latest first.
	last   []byte   // last is the statement that best explains the problem: of stderr, or of stdout.
}

// evidence collects the evidence of a connection up to a time. What was written before
// from explains nothing.
func (c *chart) evidence(con *session.Conn, from, at int64) evidence {
	var e evidence
	var words Words
	for _, l := range slices.Backward(c.written(con.ID, session.RowText, at)) {
		words.AddOutput(l.t, l.text)
		if !answered(con) {
			e.output = append(e.output, l.text)
		}
	}
	lines := c.written(con.ID, session.RowStderr, at)
	for _, l := range slices.Backward(lines) {
		words.Add(l.t, l.text)
	}
	for _, l := range lines {
		if len(bytes.TrimSpace(l.text)) > 0 {
			e.lines = append(e.lines, l.text)
		}
	}
	e.last = words.Last(from, at)
	return e
}

// A line is one line of a server's output.
type line struct {
	t    int64
	text []byte
}

// written returns the latest lines of stderr, or those of stdout that are not
// messages, the latest first. at is when the connection ended.
func (c *chart) written(conn int, kind session.RowKind, at int64) []line {
	var lines []line
	for _, row := range c.latest(conn, kind) {
		if c.read == nil || len(lines) >= maxLines {
			break
		}
		if row.T >= at-linesCount && (kind == session.RowStderr || row.Stream == session.S2C) {
			lines = append(lines, line{row.T, c.read(row)})
		}
	}
	return lines
}

// cause returns the cause in the statement that best explains the problem; nil if
// it has none.
func (e *evidence) cause() *Cause {
	if e.last == nil {
		return nil
	}
	return Of(e.last)
}

// silent returns the cause in the latest line that says why the server does not
// respond, and the line; nil if none does.
func (e *evidence) silent() (*Cause, []byte) {
	for i, line := range slices.Concat(e.lines, e.output) {
		if cause := OfSilence(line); cause != nil && (i == 0 || cause.ID != Connecting) {
			return cause, line
		}
	}
	return nil, nil
}
