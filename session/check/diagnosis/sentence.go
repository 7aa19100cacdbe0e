package diagnosis

import (
	"fmt"
	"strings"
	"time"

	"wiretea/session"
	"wiretea/session/check/exitcause"
	"wiretea/session/check/process"
	"wiretea/session/check/wire"
	"wiretea/session/mcp"
)

// word puts the finding of a diagnosis into words.
func (c *chart) word(d *Diagnosis) {
	f := &c.all[d.Finding]
	d.Conn, d.Cause, d.Sentence, d.Mend = f.Conn, f.Rule, f.Message, f.Hint
	con := c.conn(f.Conn)
	switch {
	case con == nil:
	case ends.has(f.Rule):
		c.wordEnd(d, f, con)
	case silence.has(f.Rule) && f.Fault == session.Server:
		d.Sentence = withoutNumber(f)
		c.wordSilence(d, con)
	case f.Count > 1:
		d.Sentence = fmt.Sprintf("%s (%d times)", f.Message, f.Count)
	}
	if con != nil && noise.has(f.Rule) && f.Fault == session.Server && !answered(con) {
		// What it prints may say that it listens on a port instead.
		if cause := exitcause.OfSilence([]byte(f.Message)); cause != nil {
			d.Cause, d.Reason, d.Mend = cause.ID, cause.Reason, cause.Mend
		}
	}
}

// wordEnd is the sentence of a server that went away: what it did before, how and
// when it ended, and its last words.
func (c *chart) wordEnd(d *Diagnosis, f *session.Finding, con *session.Conn) {
	how := strings.Replace(withoutNumber(f), "exited with code ", "exited ", 1)
	if before := c.noiseBefore(f); before != "" {
		how = "server " + before + ", then " + strings.TrimPrefix(how, "server ")
	}
	d.Sentence = how
	e := c.evidence(con, f.T)
	if f.Rule != process.ServerExited.ID && f.Rule != process.StdoutClosedWhileRunning.ID {
		return // The rule knows the cause: it is what the client sent.
	}
	switch cause := e.cause(exitcause.Of); {
	case cause != nil:
		d.Cause, d.Reason, d.Mend = cause.ID, cause.Reason, cause.Mend
		if cause.ID == "arguments" && con.ExitCode == 0 {
			d.Reason = "it printed its help and ended"
		}
	case len(e.lines) == 0 && !answered(con) && con.ExitCode != 126 && con.ExitCode != 127 && con.ExitSig == "":
		d.Sentence += ", without a word on stderr"
		d.Reason = "the program is not an MCP server over stdio, or it needs other arguments"
		d.Mend = "run the command by hand; what stands behind -- is given to it as it is"
	}
}

// withoutNumber is a finding's message without the number of its frame, which
// means nothing where no list of frames stands beside it.
func withoutNumber(f *session.Finding) string {
	if f.N == 0 {
		return f.Message
	}
	return strings.Replace(f.Message, fmt.Sprintf(" #%d", f.N), "", 1)
}

// noiseBefore says what the server wrote to stdout, besides messages, before the
// finding; empty = nothing.
func (c *chart) noiseBefore(f *session.Finding) string {
	for i := range c.all {
		g := &c.all[i]
		// What comes out of the pipe after the exit was written before it.
		if g.Conn != f.Conn || !noise.has(g.Rule) || g.Fault != session.Server {
			continue
		}
		what := "text"
		switch {
		case g.Rule == wire.JSONNotMessage.ID, strings.Contains(g.Key, "log"):
			what = "a log line"
		case g.Key == "traceback", g.Key == "stack":
			what = "a stack trace"
		case g.Key == "usage":
			what = "its help"
		}
		return "printed " + what + " on stdout"
	}
	return ""
}

// wordSilence is the sentence of a server that does not answer.
func (c *chart) wordSilence(d *Diagnosis, con *session.Conn) {
	e := c.evidence(con, 0) // What it said at its start still holds.
	cause := e.cause(exitcause.OfSilence)
	if cause == nil && !answered(con) {
		cause = e.cause(exitcause.Of) // One that has failed and stays says why, too.
	}
	said := ""
	if e.last != nil {
		said = ": " + printable(e.last)
	}
	switch {
	case cause != nil && !answered(con):
		d.Sentence += "; the server wrote to stderr" + said
		d.Cause, d.Reason, d.Mend = cause.ID, cause.Reason, cause.Mend
	case con.First[session.S2C] < 0 && len(e.lines) == 0:
		d.Sentence += ", and the server has not written a word"
		d.Mend = "run the command by hand: it is still starting, waits for something, or does not speak MCP over stdio"
	case con.First[session.S2C] < 0:
		d.Sentence += ", and the server has written to stderr only" + said
		d.Mend = "flush stdout after every message; one that is slow to start needs a longer --timeout"
	}
}

// unmet words a handshake that was given up: the time in force was over, and the
// server had answered nothing. It reports false where the latest connection has
// none. Rules leave a server that starts more time than most clients do.
func (c *chart) unmet(d *Diagnosis) bool {
	if len(c.conns) == 0 {
		return false
	}
	con := &c.conns[len(c.conns)-1]
	if !con.Started || answered(con) || con.StdinEOF == 0 && len(con.Signals) == 0 || endedAlone(con) {
		return false
	}
	for i := c.s.Len() - 1; i >= max(0, c.s.Len()-maxRows); i-- {
		row := c.s.Row(uint32(i))
		if row.Kind != session.RowRequest || row.Stream != session.C2S || int(row.Conn) != con.ID || row.Pair != session.NoRow {
			continue
		}
		method := c.s.Name(row.Method)
		left := con.StdinEOF
		if left == 0 {
			left = con.ExitT
		}
		limit := int64(con.Limits.For(method))
		if waited := left - row.T; row.Flags&session.FlagLate == 0 && waited < limit*19/20 {
			continue
		}
		d.Conn, d.Cause = con.ID, "no-answer"
		d.Sentence = fmt.Sprintf("%s was not answered within %v s", method, time.Duration(limit).Seconds())
		d.Mend = "run the command by hand; one that is slow to start needs a longer --timeout"
		c.wordSilence(d, con)
		return true
	}
	return false
}

// endedAlone reports whether a server ended while its stdin was open.
func endedAlone(con *session.Conn) bool {
	return con.Exited && (con.StdinEOF == 0 || con.ExitT <= con.StdinEOF) && len(con.Signals) == 0
}

// echoes words a program that sends back what it reads, on the connection of the
// finding, and reports whether it is one: no server sends a handshake.
func (c *chart) echoes(f *session.Finding, d *Diagnosis) bool {
	for i := c.s.Len() - 1; i >= max(0, c.s.Len()-maxRows); i-- {
		row := c.s.Row(uint32(i))
		if row.Kind != session.RowRequest || row.Stream != session.S2C || int(row.Conn) != f.Conn {
			continue
		}
		if method := c.s.Name(row.Method); method == mcp.Initialize || method == mcp.ServerDiscover {
			d.Conn, d.Cause, d.Sentence = f.Conn, "echo", "the server sends back what it is sent"
			d.Reason, d.Mend = "the program echoes its input, as cat does: it is not an MCP server", "check the command"
			return true
		}
	}
	return false
}

// neverStarted words a server that could not be started on the latest
// connection, and reports whether that is so.
func (c *chart) neverStarted(d *Diagnosis) bool {
	if len(c.conns) == 0 {
		return false
	}
	con := &c.conns[len(c.conns)-1]
	if con.Started {
		return false
	}
	for i := c.s.Len() - 1; i >= max(0, c.s.Len()-maxRows); i-- {
		row := c.s.Row(uint32(i))
		if row.Kind != session.RowProc || int(row.Conn) != con.ID || c.s.Name(row.Method) != "failed" {
			continue
		}
		why := c.s.Name(row.Target)
		d.Conn, d.Cause = con.ID, "not-started"
		d.Sentence, d.Mend = "the server could not be started", "check its command"
		if why != "" {
			d.Sentence, d.Mend = startWords(why)
		}
		return true
	}
	return false
}

// startWords splits what a transport says of a command: `starting "x": why (hint)`.
func startWords(why string) (sentence, mend string) {
	mend = "check the spelling of the command and the PATH, or give its full path"
	if at := strings.LastIndex(why, " ("); at > 0 && strings.HasSuffix(why, ")") {
		why, mend = why[:at], why[at+2:len(why)-1]
	} else if cause := exitcause.Of([]byte(why)); cause != nil && !strings.Contains(why, "command not found") {
		mend = cause.Mend
	}
	return "the server could not be started: " + printable([]byte(strings.TrimPrefix(why, "starting "))), mend
}
