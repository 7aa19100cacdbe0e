package process

import (
	"fmt"
	"strings"
	"time"

	"wiretea/session"
	"wiretea/session/check/cause"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

const (
	// judgeAfter is how long after its exit a server is judged at the latest:
	// its last output may still be in a pipe.
	judgeAfter = 500 * time.Millisecond

	// unknownWithin is how soon a server exits after a method that it does not
	// know.
	unknownWithin = int64(2 * time.Second)

	// crashEnds is how soon after an uncaught exception a program ends because of it.
	crashEnds = int64(time.Second)

	// exitsWith is how soon after the end of its stdout a process exits if both are
	// one act.
	exitsWith = int64(50 * time.Millisecond)
)

// lostRequests are the requests in flight at the end of a connection.
type lostRequests struct {
	n      int
	first  int64 // first is when the oldest of them was sent.
	latest asked
}

// add counts a request, unless it is a listen, or is held or was dropped here. begun is when the end began:
// requests sent later cannot have caused it.
func (l *lostRequests) add(x *session.Exchange, begun int64) {
	if x.Sender != session.C2S || x.Method == mcp.SubscriptionsListen || x.Kept {
		return
	}
	if l.n == 0 {
		l.first = x.ReqT
	}
	l.n++
	if l.latest.request && begun != 0 && x.ReqT > begun {
		return
	}
	l.latest = requestOf(x)
}

// outstanding returns the requests that are unanswered now, or were at the end.
func (conn *processConn) outstanding(ev *session.Event) lostRequests {
	l := conn.lost
	for _, x := range ev.Conn.Open[session.C2S] {
		l.add(x, conn.end.Begun)
	}
	return l
}

// judgeIfDead judges the process once nothing more can come from it.
func (conn *processConn) judgeIfDead(ev *session.Event, r session.Reporter) {
	e := &conn.end
	if e.Exit != 0 && e.Stderr != 0 && (e.Stdout != 0 || e.Given != 0) {
		conn.judge(ev, r)
	}
}

// judge judges how the process ended.
func (conn *processConn) judge(ev *session.Event, r session.Reporter) {
	e := &conn.end
	gone := e.Exit != 0 || e.Stdout != 0 && !ev.Conn.Started
	if conn.judged || !gone || conn.closed {
		return
	}
	conn.judged = true
	conn.life.mute = !conn.greeted
	owed := conn.outstanding(ev)
	switch how := howEnded(ev.Conn); {
	case how == terminated:
	case e.By != session.Server:
		conn.judgeAfterClient(ev, r, how, owed)
	case how == inPeace && owed.n == 0 && ev.Conn.First[session.S2C] >= 0:
		// No request is unanswered. A server that never wrote anything is not
		// an MCP server.
	case how == killed:
		f := conn.ended(ServerExited, ev, owed)
		f.Severity, f.Fault, f.Breaks = session.Warning, session.Nobody, nil
		f.Hint = "the sender of the signal is unknown; the system kills processes when memory runs out: see dmesg and the limits of the container"
		r.Report(f)
	case conn.diedOfProbe(ev, owed):
		conn.accuse(ServerExitOnProbe, &conn.probe.asked, ev, r, owed)
	case conn.diedOfUnknown(&conn.latest, owed):
		conn.accuse(ServerExitOnUnknownMethod, &conn.latest, ev, r, owed)
	case conn.before.method != "" && conn.diedOfUnknown(&conn.before, owed):
		conn.accuse(ServerExitOnUnknownMethod, &conn.before, ev, r, owed)
	default:
		r.Report(conn.ended(ServerExited, ev, owed))
	}
}

// A manner is the way in which a process ended.
type manner uint8

const (
	inPeace    manner = iota // inPeace: with code 0, or in an unknown way.
	failed                   // failed: with another code, or by a signal that it caused itself.
	killed                   // killed: by SIGKILL.
	terminated               // terminated: by another signal from outside.
)

// howEnded returns how the process ended. Shells and other wrappers report a
// signal as 128 plus its number.
func howEnded(c *session.Conn) manner {
	sig := c.ExitSig
	switch c.ExitCode {
	case 128 + 1:
		sig = "SIGHUP"
	case 128 + 2:
		sig = "SIGINT"
	case 128 + 9:
		sig = "SIGKILL"
	case 128 + 15:
		sig = "SIGTERM"
	}
	switch {
	case !c.Exited:
		return inPeace
	case sig == "SIGKILL":
		return killed
	case rule.EndsProcess(sig):
		return terminated
	case sig != "" || c.ExitCode != 0:
		return failed
	}
	return inPeace
}

// judgeAfterClient judges a process that ended after the client had ended the
// connection: a crash with its reason on stderr and a request unanswered is the
// server's fault. A crash caused by the end of the connection is only noted, if
// that end was an orderly one.
func (conn *processConn) judgeAfterClient(ev *session.Event, r session.Reporter, how manner, owed lostRequests) {
	e := &conn.end
	if e.Signal != 0 {
		return
	}
	if owed.n == 0 && conn.greeted && !conn.garbled && e.HungUp == 0 {
		conn.judgeShutdown(ev, r, how)
		return
	}
	if how != failed {
		return
	}
	reason := conn.words.Reason(owed.first)
	switch {
	case reason == nil && ev.Conn.ExitSig == "":
	case aboutPipe(reason):
		if e.HungUp != 0 {
			f := writeAfterClose.At(ev, "server failed because its stdout has no reader: %s", cause.Show(reason))
			f.Fault, f.T = session.Server, e.Exit
			r.Report(f)
		}
	case owed.n > 0:
		r.Report(conn.ended(ServerExited, ev, owed))
	}
}

// judgeShutdown judges a process that ended after the client had closed stdin, and
// nothing else, with no request open. A person at the terminal may have
// interrupted it.
func (conn *processConn) judgeShutdown(ev *session.Event, r session.Reporter, how manner) {
	e, c := &conn.end, ev.Conn
	words := conn.words.Crash(e.Stdin)
	if how != failed && (how != inPeace || words == nil) || cause.Mentions(words, "keyboardinterrupt", "sigint") {
		return
	}
	f := failsAtShutdown.At(ev, "server wrote a stack trace, %s after its stdin was closed", rule.FormatDuration(e.Exit-e.Stdin))
	switch {
	case c.ExitSig != "":
		f.Severity = session.Warning
		f.Message = fmt.Sprintf("server was killed by %s, %s after its stdin was closed", rule.Short([]byte(c.ExitSig)), rule.FormatDuration(e.Exit-e.Stdin))
	case how == failed:
		f.Message = fmt.Sprintf("server exited with code %d, %s after its stdin was closed", c.ExitCode, rule.FormatDuration(e.Exit-e.Stdin))
	}
	if words == nil {
		words = conn.words.Reason(e.Stdin)
	}
	if words != nil {
		f.Message += ": " + cause.Show(words)
	}
	f.T = e.Exit
	r.Report(f)
}

// accuse reports that the server exited because of a message, if it says so on
// stderr or another connection shows it; else only that it exited.
func (conn *processConn) accuse(broken *rule.Rule, a *asked, ev *session.Event, r session.Reporter, owed lostRequests) {
	f := conn.ended(broken, ev, owed)
	if a.named(conn.words.Reason(a.t)) {
		r.Report(f)
		return
	}
	told, refuted := conn.history.accuse(r, suspect{finding: f, method: a.method, number: a.number, lasted: conn.end.Begun - ev.Conn.StartT, fresh: !conn.greeted})
	if told {
		return
	}
	f = conn.ended(ServerExited, ev, owed)
	if !refuted && ev.Conn.ExitSig == "" {
		f.Hint = "start it again without " + rule.Short([]byte(a.method)) + ": if it then keeps running, answer unknown methods with -32601 and keep reading"
	}
	r.Report(f)
}

// diedOfProbe reports whether the server may have exited because of
// server/discover. An error on stderr that does not name it is a different
// reason.
func (conn *processConn) diedOfProbe(ev *session.Event, owed lostRequests) bool {
	if !conn.probe.open || conn.greeted || owed.n == 0 || ev.Conn.ExitCode == 126 || ev.Conn.ExitCode == 127 {
		return false
	}
	// The client may have sent initialize into the dead pipe, but not before.
	if owed.n > 1 && conn.latest.t < conn.end.Begun {
		return false
	}
	reason := conn.words.Reason(0)
	return reason == nil || cause.Mentions(reason, "discover", "initializ", "handshake", "expect", "unknown method", "method not found", "unknown request")
}

// diedOfUnknown reports whether one of the client's last messages has a method that
// the server did not know, and may have ended it. An error on stderr that does not
// name it is a different reason.
func (conn *processConn) diedOfUnknown(a *asked, owed lostRequests) bool {
	if a.method == "" || a.t > conn.end.Begun || conn.end.Begun-a.t > unknownWithin {
		return false
	}
	if owed.n > 1 || owed.n == 1 && owed.latest.row != conn.latest.row || a.request && owed.n == 0 {
		return false
	}
	if reason := conn.words.Reason(a.t); reason != nil {
		return a.named(reason)
	}
	return a.unknown
}

// named reports whether an error on stderr is about the message.
func (a *asked) named(reason []byte) bool {
	if a.unknown && cause.Mentions(reason, strings.ToLower(a.method)) {
		return true
	}
	return cause.Mentions(reason, "server/discover", "unknown method", "unsupported method", "method not found", "unrecognized method", "unknown request")
}

// ended is the finding of a server that ended: how, when, and with which last
// line on stderr.
func (conn *processConn) ended(broken *rule.Rule, ev *session.Event, owed lostRequests) session.Finding {
	e, c := &conn.end, ev.Conn
	at := e.Begun
	if e.By != session.Server {
		at = e.Exit
	}
	var b strings.Builder
	b.WriteString("server ")
	switch {
	case e.Exit == 0, conn.outlivedStdout(c):
		b.WriteString("closed its stdout")
	case c.ExitSig != "":
		b.WriteString("was killed by " + rule.Short([]byte(c.ExitSig)))
	default:
		fmt.Fprintf(&b, "exited with code %d", c.ExitCode)
	}
	last := conn.latest
	if owed.n > 0 && (last.answered || last.t > at) {
		last = owed.latest
	}
	f := broken.At(ev, "")
	if e.Exit != 0 {
		f = f.AtRow(c.ExitRow)
	}
	switch {
	case last.method != "" && last.t <= at && at-last.t < int64(time.Minute) && !conn.diedAtStart(broken, c, &last):
		b.WriteString(", " + rule.FormatDuration(at-last.t) + " after ")
		if before := &conn.before; before.method != "" && last.row == conn.latest.row {
			b.WriteString(rule.Short([]byte(before.method)) + " and ")
		}
		b.WriteString(last.name())
		f = f.AtRow(last.row)
	case c.Started && at >= c.StartT:
		b.WriteString(", " + rule.FormatDuration(at-c.StartT) + " after its start")
	}
	if owed.n > 1 {
		fmt.Fprintf(&b, ", %d requests unanswered", owed.n)
	}
	if conn.outlivedStdout(c) {
		fmt.Fprintf(&b, "; it exited with code 0 %s later, after its stdin was closed", rule.FormatDuration(e.Exit-e.Stdout))
	}
	since := int64(0)
	if conn.greeted && owed.n > 0 && !last.answered && last.t <= at {
		since = last.t // What it wrote before is not why it died in this request.
	}
	words := conn.words.Last(since, at)
	if words == nil && since > conn.answered && c.ExitSig == "" {
		words = conn.words.Crash(max(conn.answered, at-crashEnds)) // Chance decides whether that request came before the end.
	}
	place := conn.words.Place(words)
	if words != nil {
		f.Key = cause.Show(words)
		b.WriteString(": " + f.Key)
	}
	f.Message, f.T = b.String(), at
	known := cause.Of(words)
	switch {
	case broken == ServerExited && known != nil:
		f.Hint = known.Mend
	case c.ExitCode == 127:
		f.Hint = "the command, or one that it runs, was not found: check its spelling, and the PATH that the client sets"
	case c.ExitCode == 126:
		f.Hint = "the command, or one that it runs, is not executable: check its permissions"
	case c.ExitSig == "SIGSEGV" || c.ExitSig == "SIGABRT" && words == nil || c.ExitSig == "SIGBUS" || c.ExitSig == "SIGILL":
		f.Hint = "native code crashed: look for a core dump, and update native modules and the runtime"
	case broken == ServerExited && place != "" && !conn.greeted:
		f.Hint = "look at " + cause.Show([]byte(place)) + ", where it failed"
	case broken == ServerExited && place != "":
		f.Hint = "look at " + cause.Show([]byte(place)) + ", where it failed; catch exceptions in handlers and return an error response instead of exiting"
	case broken == ServerExited && !conn.greeted && c.First[session.Stderr] >= 0:
		f.Hint = "read what it wrote to stderr before it ended"
	case broken == ServerExited && !conn.greeted && words != nil:
		f.Hint = "read what it wrote on stdout before it ended"
	case broken == ServerExited && words != nil && c.First[session.Stderr] < 0:
		f.Hint = "read what it wrote on stdout before it ended; catch exceptions in handlers and return an error response instead of exiting"
	case broken == ServerExited && words == nil:
		f.Hint = "run the command yourself in a shell to see what it needs"
	}
	return f
}

// atStart is how soon after the start of the server a client sends its first message if it
// sends it whether or not the server lives.
const atStart = int64(time.Second)

// diedAtStart reports whether a server that has answered nothing is said to have ended some
// time after its start, at its exit, and not after the client's last message: where it
// also ended on another connection that message is not the reason, and where it was sent
// at once it is chance whether it was written before the server ended.
func (conn *processConn) diedAtStart(broken *rule.Rule, c *session.Conn, last *asked) bool {
	return c.Started && !conn.greeted && broken == ServerExited && (last.t-c.StartT < atStart || conn.history.mute(c.ID))
}

// outlivedStdout reports whether the server lived on after the end of its stdout,
// and exited without a failure after the client had closed stdin: nobody knows
// whether it would have exited otherwise.
func (conn *processConn) outlivedStdout(c *session.Conn) bool {
	e := &conn.end
	return e.Begun == e.Stdout && e.Stdout != 0 && e.Stdin != 0 && e.Stdin < e.Exit && e.Exit-e.Stdout > exitsWith && c.ExitSig == "" && c.ExitCode == 0
}

// aboutPipe reports whether an error says that the other end of a pipe is
// closed.
func aboutPipe(line []byte) bool {
	return cause.Mentions(line, "epipe", "broken pipe", "brokenpipe", "brokenresource", "closedresource", "connection closed", "stream closed", "eof", "keyboardinterrupt", "cancellederror")
}
