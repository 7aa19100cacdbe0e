package process

import (
	"strconv"
	"strings"
	"time"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

const (
	// eofGrace and termGrace are how long a server may take to exit after its
	// stdin was closed, and after SIGTERM.
	eofGrace  = 2 * time.Second
	termGrace = 2 * time.Second

	// almost is how much earlier a client with the same timeout may act.
	almost = int64(100 * time.Millisecond)

	// closedAfter and heldAfter are how much earlier stdout, or the process,
	// may end than the other. Processes that hold stdout are recorded a second after
	// the exit, and are then the cause.
	closedAfter = 500 * time.Millisecond
	heldAfter   = 2 * time.Second

	// staysAfter is how long after the server's exit a process that it left is not
	// about to end.
	staysAfter = int64(400 * time.Millisecond)
)

// signal judges, before a signal is recorded, a server whose time to exit is
// over: that it receives a signal shows that it is still running.
func (conn *processConn) signal(ev *session.Event, r session.Reporter) {
	if ev.Proc.Event != "signal" {
		return
	}
	switch ev.Proc.Signal {
	case "SIGTERM", "SIGKILL":
		if e := &conn.end; e.Stdin != 0 && e.Term == 0 && !conn.busy(ev) && ev.T-conn.quietSince() >= int64(eofGrace)-almost {
			conn.reportStay(ev, r)
		}
	}
	if ev.Proc.Signal == "SIGKILL" {
		if e := &conn.end; e.Term != 0 && ev.T-e.Term >= int64(termGrace)-almost {
			conn.reportDeaf(ev, r)
		}
	}
}

// quietSince returns since when the server has had nothing left to do.
func (conn *processConn) quietSince() int64 { return max(conn.end.Stdin, conn.answered) }

// busy reports whether the server may still be processing requests, or hangs in
// one, which is then the fault.
func (conn *processConn) busy(ev *session.Event) bool {
	open := ev.Conn.Open[session.C2S]
	for _, x := range open[:min(len(open), rule.MaxScan)] {
		if x.Method != mcp.SubscriptionsListen {
			return true
		}
	}
	return conn.end.Blocked[session.S2C] != 0
}

// overdue judges a server whose time to exit after the end of stdin is over.
func (conn *processConn) overdue(ev *session.Event, r session.Reporter) {
	e := &conn.end
	if e.Exit != 0 || e.Term != 0 {
		return
	}
	due := conn.quietSince() + int64(eofGrace)
	if conn.busy(ev) {
		due = ev.T + int64(eofGrace)
	}
	if ev.T < due {
		r.At(due, ev.Conn.ID, session.TimerKey{Rule: ServerIgnoresEOF.ID})
		return
	}
	conn.reportStay(ev, r)
}

func (conn *processConn) reportStay(ev *session.Event, r session.Reporter) {
	if conn.stayed || conn.closed || !ev.Conn.Started {
		return
	}
	conn.stayed = true
	r.Report(ServerIgnoresEOF.At(ev, "server is still running %s after its stdin was closed", rule.FormatDuration(ev.T-conn.end.Stdin)))
}

// ignoresTerm judges a server whose time to exit after SIGTERM is over.
func (conn *processConn) ignoresTerm(ev *session.Event, r session.Reporter) {
	if conn.end.Exit == 0 && conn.end.Term != 0 {
		conn.reportDeaf(ev, r)
	}
}

func (conn *processConn) reportDeaf(ev *session.Event, r session.Reporter) {
	if conn.deaf || !ev.Conn.Started {
		return
	}
	conn.deaf = true
	r.Report(serverIgnoresSIGTERM.At(ev, "server is still running %s after SIGTERM", rule.FormatDuration(ev.T-conn.end.Term)))
}

// closedStdout judges a server whose stdout ended some time ago.
func (conn *processConn) closedStdout(ev *session.Event, r session.Reporter) {
	e := &conn.end
	if e.Exit != 0 || e.By != session.Server || !ev.Conn.Started || conn.closed {
		return
	}
	conn.closed = true
	owed := conn.outstanding(ev)
	f := StdoutClosedWhileRunning.At(ev, "server closed its stdout but keeps running")
	if owed.n > 0 {
		f.Severity = session.Error
		f.Message += ", with " + owed.latest.name() + " unanswered"
		f = f.AtRow(owed.latest.row)
	}
	f.T = e.Stdout
	r.Report(f)
}

// heldOpen judges a server that exited and whose stdout did not end.
func (conn *processConn) heldOpen(ev *session.Event, r session.Reporter) {
	e := &conn.end
	waited := e.Given != 0 || ev.T-e.Exit >= int64(heldAfter)
	if e.Exit == 0 || e.Stdout != 0 || e.HungUp != 0 || !waited || conn.held || conn.orphans {
		return
	}
	conn.held = true
	f := stdoutHeldOpen.At(ev, "server exited, but its stdout is still open %s later", rule.FormatDuration(ev.T-e.Exit))
	excuse(ev, &f)
	r.Report(f)
}

// excuse accuses nobody of what stays after a server that a signal ended, as it ends
// wrappers like npx: that server could not help it. The same holds for what may be about
// to end.
func excuse(ev *session.Event, f *session.Finding) {
	how := howEnded(ev.Conn)
	if how == killed || how == terminated || ev.T-ev.Conn.ExitT < staysAfter {
		f.Severity, f.Fault, f.Breaks = session.Info, session.Nobody, nil
	}
}

// orphaned reports processes that a server left running.
func (conn *processConn) orphaned(ev *session.Event, r session.Reporter) {
	pids := ev.Proc.PIDs
	if len(pids) == 0 {
		return
	}
	conn.orphans = true
	const most = 5
	names := make([]string, 0, most+1)
	for _, pid := range pids[:min(len(pids), most)] {
		names = append(names, strconv.Itoa(pid))
	}
	if len(pids) > most {
		names = append(names, "…")
	}
	what := "1 child process was still running %s after the server's exit: pid "
	if len(pids) > 1 {
		what = strconv.Itoa(len(pids)) + " child processes were still running %s after the server's exit: pids "
	}
	f := orphanDescendants.At(ev, what+strings.Join(names, ", "), rule.FormatDuration(ev.T-ev.Conn.ExitT))
	excuse(ev, &f)
	r.Report(f)
}
