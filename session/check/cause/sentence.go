package cause

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

// describe fills in the texts of a diagnosis from its finding.
func (c *chart) describe(d *Diagnosis) {
	f := &c.all[d.Finding]
	d.Conn, d.Cause, d.Sentence, d.Mend = f.Conn, f.Rule, f.Message, f.Hint
	con := c.conn(f.Conn)
	switch {
	case con == nil:
	case roleOf(f) == rule.End:
		c.describeEnd(d, f, con)
	case roleOf(f) == rule.Silence && f.Fault == session.Server:
		d.Sentence = withoutNumber(f)
		if answered(con) || !c.answers() {
			c.describeSilence(d, con) // Otherwise it is known that the server works.
		}
		if e := c.evidence(con, c.diedIn(f, con), 0); answered(con) && e.last != nil && len(e.lines) > 0 {
			d.Sentence += "; the server wrote: " + Show(e.last)
			if cause := e.cause(); cause != nil {
				d.Cause, d.Reason, d.Mend = cause.ID, cause.Reason, cause.Mend
			} else if slices.ContainsFunc(e.lines, func(l []byte) bool {
				return bytes.HasPrefix(l, []byte("Traceback (most")) || bytes.HasPrefix(l, []byte("    at "))
			}) {
				d.Mend = "catch exceptions in handlers and return an error response"
			}
		}
	case f.Repeated():
		d.Sentence = fmt.Sprintf("%s (%d times)", f.Message, f.Count)
	}
	if con != nil && roleOf(f) == rule.Noise && f.Fault == session.Server && !answered(con) {
		// Its output may say that it listens on a port instead.
		e := c.evidence(con, 0, 0)
		if cause, _ := e.silent(); cause != nil {
			d.Cause, d.Reason, d.Mend = cause.ID, cause.Reason, cause.Mend
		}
	}
}

// describeEnd describes the end of a server: what it did before, how and when
// it ended, and its last output.
func (c *chart) describeEnd(d *Diagnosis, f *session.Finding, con *session.Conn) {
	how := withoutNumber(f)
	if before := c.noiseBefore(f); before != "" {
		how = "server " + before + ", then " + strings.TrimPrefix(how, "server ")
	}
	d.Sentence = how
	e := c.evidence(con, c.diedIn(f, con), f.T)
	if f.Rule != "server-exited" && f.Rule != "stdout-closed-while-running" {
		return // The rule has the cause: the client's message.
	}
	switch cause := cmp.Or(e.cause(), Of([]byte(f.Key))); {
	case cause != nil:
		d.Cause, d.Reason, d.Mend = cause.ID, cause.Reason, cause.Mend
		if cause.ID == "arguments" && con.ExitCode == 0 {
			d.Reason = "it printed its help and exited"
		}
	case len(e.lines) == 0 && e.last == nil && !answered(con) && con.ExitCode != 126 && con.ExitCode != 127 && con.ExitSig == "":
		d.Sentence += ", and wrote nothing to stderr"
		d.Reason = "the program is not an MCP server over stdio, or it needs other arguments or settings"
		d.Mend = "run the command yourself in a shell to see what it needs"
	}
}

// diedIn returns when the request was sent in which a server died that had answered
// before; 0 if there is none.
func (c *chart) diedIn(f *session.Finding, con *session.Conn) int64 {
	if !answered(con) {
		return 0
	}
	for i, row := range c.latest(con.ID, session.RowRequest) {
		if row.Stream == session.C2S && row.T <= f.T && c.s.Unanswered(i) {
			return row.T
		}
	}
	return 0
}

// withoutNumber returns a finding's message without the number of its frame,
// which has no meaning without a list of frames.
func withoutNumber(f *session.Finding) string {
	if f.N == 0 {
		return f.Message
	}
	return strings.Replace(f.Message, fmt.Sprintf(" #%d", f.N), "", 1)
}

// noiseBefore says what the server wrote to stdout, besides messages, before
// the finding; empty = nothing.
func (c *chart) noiseBefore(f *session.Finding) string {
	for i := range c.all {
		g := &c.all[i]
		// Output that is read from the pipe after the exit was written before
		// it.
		if g.Conn != f.Conn || roleOf(g) != rule.Noise || g.Fault != session.Server {
			continue
		}
		what := "text"
		switch {
		case g.Rule == "json-not-message", strings.Contains(g.Key, "log"):
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

// describeSilence describes a server that does not respond.
func (c *chart) describeSilence(d *Diagnosis, con *session.Conn) {
	e := c.evidence(con, 0, 0) // Its output at the start is still relevant.
	cause, line := e.silent()
	if cause == nil && !answered(con) {
		cause, line = e.cause(), e.last // A server that failed but keeps running explains why, too.
	}
	if cause == nil || OfSilence(e.last) != nil {
		line = e.last // It has no time and no level.
	}
	said := ""
	if line != nil {
		said = ": " + Show(line)
	}
	switch {
	case cause != nil && !answered(con):
		d.Sentence += "; the server wrote" + said
		d.Cause, d.Reason, d.Mend = cause.ID, cause.Reason, cause.Mend
	case con.Gaps[session.S2C]:
	case con.First[session.S2C] < 0 && con.Trips > 0:
		d.Mend = "read the server's log at that time, and check the proxies in front of it: the request was sent over HTTP, and no message came back"
	case con.First[session.S2C] < 0 && len(e.lines) == 0:
		d.Sentence += ", and the server has written nothing"
		d.Mend = "run the command yourself in a shell: it is still starting, waits for something, or does not support MCP over stdio"
		if h := c.s.Header(); h != nil && len(h.Cmd) == 1 && slices.Contains([]string{"python", "python3", "node", "ruby", "php", "perl"}, path.Base(h.Cmd[0])) {
			d.Mend = "name the server's script: " + Show([]byte(h.Cmd[0])) + " alone reads a program from its stdin"
		}
	case con.First[session.S2C] < 0:
		d.Sentence += ", and the server has written only to stderr" + said
		d.Mend = "flush stdout after every message; a server that starts slowly needs a longer --timeout"
	}
}

// describeTimeout describes a handshake that the client gave up at its timeout,
// without any response of the server. It reports false if the latest connection
// has none. Rules allow a starting server more time than most clients do.
func (c *chart) describeTimeout(d *Diagnosis) bool {
	if len(c.conns) == 0 {
		return false
	}
	con := &c.conns[len(c.conns)-1]
	if !con.Started || answered(con) || con.Gaps[session.S2C] || con.StdinEOF == 0 && len(con.Signals) == 0 || endedAlone(con) {
		return false
	}
	for _, row := range c.latest(con.ID, session.RowRequest) {
		if row.Stream != session.C2S || row.Pair != session.NoRow || row.Flags&session.FlagDecided != 0 {
			continue
		}
		method := c.s.Name(row.Method)
		left := cmp.Or(con.StdinEOF, con.ExitT)
		limit := int64(con.Limits.For(method))
		if waited := left - row.T; row.Flags&session.FlagLate == 0 && waited < limit*19/20 {
			continue
		}
		d.Conn, d.Cause = con.ID, "no-answer"
		d.Sentence = fmt.Sprintf("%s was not answered within %s", method, rule.FormatDuration(limit))
		d.Mend = "run the command yourself in a shell; a server that starts slowly needs a longer --timeout"
		c.describeSilence(d, con)
		return true
	}
	return false
}

// endedAlone reports whether a server ended while its stdin was open.
func endedAlone(con *session.Conn) bool {
	return con.Exited && (con.StdinEOF == 0 || con.ExitT <= con.StdinEOF) && len(con.Signals) == 0
}

// describeEcho describes a program that sends back its input, on the connection
// of the finding, and reports whether it is one: a server never sends a
// handshake.
func (c *chart) describeEcho(f *session.Finding, d *Diagnosis) bool {
	for _, row := range c.latest(f.Conn, session.RowRequest) {
		if method := c.s.Name(row.Method); row.Stream == session.S2C && (method == mcp.Initialize || method == mcp.ServerDiscover) {
			d.Conn, d.Cause, d.Sentence = f.Conn, "echo", "the server sends back its input"
			d.Reason, d.Mend = "it repeats what it is sent, like cat or a terminal", "name the server's program, or turn the echo off (stty -echo, docker run without -t)"
			return true
		}
	}
	return false
}

// neverStarted describes a server that could not be started on the latest
// connection, and reports whether this is the case.
func (c *chart) neverStarted(d *Diagnosis) bool {
	if len(c.conns) == 0 {
		return false
	}
	con := &c.conns[len(c.conns)-1]
	if con.Started || !con.Failed {
		return false
	}
	for _, row := range c.latest(con.ID, session.RowProc) {
		if c.s.Name(row.Method) != "failed" {
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

// lastBracket returns where the bracket opens that a text ends with; -1 = it ends with
// none.
func lastBracket(text string) int {
	depth := 0
	for i := len(text) - 1; i >= 0 && (depth > 0 || text[i] == ')' && i == len(text)-1); i-- {
		switch text[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// startWords splits the error of a transport for a command: `starting "x": why
// (hint)`.
func startWords(why string) (sentence, mend string) {
	mend = "check the spelling of the command and the PATH, or give its full path"
	if at := lastBracket(why); at > 0 {
		why, mend = strings.TrimSuffix(why[:at], " "), why[at+1:len(why)-1]
	} else if cause := Of([]byte(why)); cause != nil && !strings.Contains(why, "command not found") {
		mend = cause.Mend
	}
	return "the server could not be started: " + Show([]byte(strings.TrimPrefix(why, "starting "))), mend
}
