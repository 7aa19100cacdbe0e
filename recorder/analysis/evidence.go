package analysis

import (
	"fmt"
	"strings"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/check/cause"
	"wiretea/session/text"
)

// endedByItself reports whether a server exited without a signal of ours and before
// its stdin was closed.
func endedByItself(c *session.Conn) bool {
	return c.Exited && (c.StdinEOF == 0 || c.ExitT <= c.StdinEOF) && len(c.Signals) == 0 || c.Exited && c.StdoutEOF > 0 && c.StdoutEOF <= c.StdinEOF && len(c.Signals) == 0
}

// RequestWords names a request: its method, its target and its id.
func RequestWords(s *session.Snapshot, row session.Row) string {
	words := s.Name(row.Method)
	if target := s.Name(row.Target); target != "" {
		words += " " + target
	}
	if id := s.ID(row); id != "" {
		words += " (id " + id + ")"
	}
	return words
}

// RefusedQuestion returns the method of what the server last asked for on a connection and
// was refused, while it worked at a request that has been answered since; empty = nothing.
func RefusedQuestion(s *session.Snapshot, conn int) string {
	for i := s.Len() - 1; i >= 0; i-- {
		row := s.Row(uint32(i))
		if int(row.Conn) != conn || row.Kind != session.RowRequest {
			continue
		}
		switch {
		case row.Stream == session.C2S && row.Pair != session.NoRow:
			return ""
		case row.Stream == session.S2C && row.Pair != session.NoRow && s.Row(row.Pair).Kind == session.RowError && s.Row(row.Pair).Way != session.WayOut:
			return s.Name(row.Method)
		}
	}
	return ""
}

// LastAsked names the latest request of a connection that has no response; empty = there is
// none.
func LastAsked(s *session.Snapshot, conn int) string {
	for i := s.Len() - 1; i >= 0; i-- {
		row := s.Row(uint32(i))
		if row.Stream == session.C2S && int(row.Conn) == conn && s.Unanswered(uint32(i)) {
			return RequestWords(s, row)
		}
	}
	return ""
}

// Evidence is what a session shows of one connection, safe to print.
type Evidence struct {
	Conn    *session.Conn
	Sent    []string // Sent names the latest messages to the server.
	Came    []string // Came names the latest lines from it.
	Remote  bool     // Remote: the server is at a URL.
	Process string   // Process says how the process exited, and why; of a server at a URL, the URL.
	Stderr  []string // Stderr holds its last lines, oldest first, without those of a stack trace.
}

const (
	shownMessages = 4   // shownMessages is how many messages of each side are named.
	shownStderr   = 6   // shownStderr is how many lines of stderr are shown.
	readStderr    = 60  // readStderr is how many are looked through for a cause.
	shownLine     = 160 // shownLine is where a line is cut, in characters.
)

// Gather collects the evidence of a connection.
func Gather(s *session.Snapshot, log recorder.Log, c *session.Conn) Evidence {
	e := Evidence{Conn: c, Process: processWords(c)}
	if h := s.Header(); h != nil && h.URL != "" {
		e.Process, e.Remote = text.Line(h.URL), true
	}
	sent, came := 0, 0
	for i := s.Len() - 1; i >= 0; i-- {
		row := s.Row(uint32(i))
		if int(row.Conn) != c.ID || row.Kind.Event() {
			continue
		}
		switch row.Stream {
		case session.C2S:
			if sent++; sent <= shownMessages {
				e.Sent = append([]string{messageWords(s, log, row)}, e.Sent...)
			}
		case session.S2C:
			if came++; came <= shownMessages {
				e.Came = append([]string{messageWords(s, log, row)}, e.Came...)
			}
		case session.Stderr:
			if line := lineOf(log, row); len(e.Stderr) < readStderr && saysSomething(line) {
				e.Stderr = append([]string{line}, e.Stderr...)
			}
		}
	}
	e.Sent = withEarlier(e.Sent, sent)
	e.Came = withEarlier(e.Came, came)
	return e
}

// LastStderr returns the lines of stderr that are shown.
func (e *Evidence) LastStderr() []string { return e.Stderr[max(0, len(e.Stderr)-shownStderr):] }

// saysSomething reports whether a line of stderr is more than the frame of a
// stack, a brace, or nothing.
func saysSomething(line string) bool {
	line = strings.TrimLeft(line, " \t")
	return len(line) > 2 && !strings.HasPrefix(line, "at ") && !strings.HasPrefix(line, "^")
}

// withEarlier says how many came before those that are shown.
func withEarlier(shown []string, all int) []string {
	if earlier := all - len(shown); earlier > 0 {
		return append([]string{fmt.Sprintf("%s earlier", text.Plural(int64(earlier), "message"))}, shown...)
	}
	return shown
}

// messageWords names a message.
func messageWords(s *session.Snapshot, log recorder.Log, row session.Row) string {
	switch known := s.Name(row.Method) != ""; row.Kind {
	case session.RowResult:
		if !known {
			return text.Line("a result" + RequestWords(s, row))
		}
		return text.Line("the result of " + RequestWords(s, row))
	case session.RowError:
		if !known {
			return text.Line("an error" + RequestWords(s, row))
		}
		return text.Line("an error for " + RequestWords(s, row))
	case session.RowRequest, session.RowNotification:
		return text.Line(RequestWords(s, row))
	default:
		return fmt.Sprintf("%q", lineOf(log, row))
	}
}

// lineOf is the beginning of a row's line.
func lineOf(log recorder.Log, row session.Row) string {
	body, err := recorder.ReadFrame(log, row, 0, 4*shownLine)
	if err != nil {
		return "?"
	}
	return text.Visible(body, shownLine)
}

// processWords is how the process ended, and at whose wish.
func processWords(c *session.Conn) string {
	after := func(t int64) string { return text.Duration(max(t-c.StartT, 0)) + " after its start" }
	switch {
	case !c.Started:
		return "was not started"
	case !c.Exited:
		return fmt.Sprintf("pid %d, its end was not seen", c.PID)
	case endedByItself(c) && c.ExitSig != "":
		return "killed by " + c.ExitSig + ", " + after(c.ExitT)
	case endedByItself(c):
		return fmt.Sprintf("exited with code %d, %s", c.ExitCode, after(c.ExitT))
	case len(c.Signals) > 0:
		by := c.Signals[len(c.Signals)-1].Signal
		if waited := c.ExitT - c.StdinEOF; c.StdinEOF > 0 && waited >= int64(time.Second) {
			return fmt.Sprintf("was alive, did not exit in the %s after its stdin was closed, and was ended with %s", text.Duration(waited), by)
		}
		return "was alive, and was ended with " + by
	case c.ExitSig != "":
		return "was alive; killed by " + c.ExitSig + " once its stdin was closed"
	}
	return fmt.Sprintf("was alive; exited with code %d once its stdin was closed", c.ExitCode)
}

// stderrHead is how much of a line of stderr a diagnosis looks at, in bytes.
const stderrHead = 1 << 10

// Diagnose returns the root cause of a session's findings. log provides the lines of
// stderr; nil means that they are unknown. keep selects the findings that count, by
// index; nil selects all.
func Diagnose(s *session.Snapshot, log recorder.Log, keep func(i int) bool) cause.Diagnosis {
	if log == nil {
		return cause.Among(s, nil, keep)
	}
	return cause.Among(s, func(row session.Row) []byte {
		line, err := recorder.ReadFrame(log, row, 0, stderrHead)
		if err != nil {
			return nil // The file was truncated since; the other lines may be enough.
		}
		return line
	}, keep)
}
