package check

import (
	"strconv"
	"strings"
	"time"

	"wiretea/session"
)

const (
	// eofGrace and termGrace are how long a server may take to exit after its
	// stdin was closed, and after SIGTERM.
	eofGrace  = 2 * time.Second
	termGrace = 2 * time.Second

	// almost is what a client that waits as long as we do may be ahead of us.
	almost = int64(100 * time.Millisecond)

	// closedAfter and heldAfter are how long stdout and the process may part.
	closedAfter = 500 * time.Millisecond
	heldAfter   = time.Second
)

// signal judges, before a signal is taken note of, a server that had its time:
// that it must be sent a signal shows that it is still there.
func (conn *processConn) signal(ev *session.Event, r session.Reporter) {
	if ev.Proc.Event != "signal" {
		return
	}
	switch ev.Proc.Signal {
	case "SIGTERM", "SIGKILL":
		if e := &conn.end; e.stdin != 0 && e.term == 0 && !conn.busy(ev) && ev.T-conn.quietSince() >= int64(eofGrace)-almost {
			conn.reportStay(ev, r)
		}
	}
	if ev.Proc.Signal == "SIGKILL" {
		if e := &conn.end; e.term != 0 && ev.T-e.term >= int64(termGrace)-almost {
			conn.reportDeaf(ev, r)
		}
	}
}

// quietSince is since when the server has had nothing to do but to exit.
func (conn *processConn) quietSince() int64 { return max(conn.end.stdin, conn.answered) }

// busy reports whether the server may still be working off what it was asked, or
// hangs in it: then that is the fault.
func (conn *processConn) busy(ev *session.Event) bool {
	open := ev.Conn.Open[session.C2S]
	for _, x := range open[:min(len(open), maxScan)] {
		if x.Method != "subscriptions/listen" {
			return true
		}
	}
	return conn.end.blocked[session.S2C] != 0
}

// overdue judges a server whose time to exit after the end of stdin is over.
func (conn *processConn) overdue(ev *session.Event, r session.Reporter) {
	e := &conn.end
	if e.exit != 0 || e.term != 0 {
		return
	}
	due := conn.quietSince() + int64(eofGrace)
	if conn.busy(ev) {
		due = ev.T + int64(eofGrace)
	}
	if ev.T < due {
		r.At(due, ev.Conn.ID, session.TimerKey{Rule: serverIgnoresEOF.ID})
		return
	}
	conn.reportStay(ev, r)
}

func (conn *processConn) reportStay(ev *session.Event, r session.Reporter) {
	if conn.stayed || conn.closed || !ev.Conn.Started {
		return
	}
	conn.stayed = true
	r.Report(serverIgnoresEOF.at(ev, "server still runs %s after its stdin was closed", formatDuration(ev.T-conn.end.stdin)))
}

// ignoresTerm judges a server whose time to exit after SIGTERM is over.
func (conn *processConn) ignoresTerm(ev *session.Event, r session.Reporter) {
	if conn.end.exit == 0 && conn.end.term != 0 {
		conn.reportDeaf(ev, r)
	}
}

func (conn *processConn) reportDeaf(ev *session.Event, r session.Reporter) {
	if conn.deaf || !ev.Conn.Started {
		return
	}
	conn.deaf = true
	r.Report(serverIgnoresSIGTERM.at(ev, "server still runs %s after SIGTERM", formatDuration(ev.T-conn.end.term)))
}

// closedStdout judges a server whose stdout ended some time ago.
func (conn *processConn) closedStdout(ev *session.Event, r session.Reporter) {
	e := &conn.end
	if e.exit != 0 || e.by != session.Server || !ev.Conn.Started || conn.closed {
		return
	}
	conn.closed = true
	owed := conn.outstanding(ev)
	f := stdoutClosedWhileRunning.at(ev, "server closed its stdout and runs on")
	if owed.n > 0 {
		f.Severity = session.Error
		f.Message += ", with " + owed.latest.name() + " unanswered"
		f.Row, f.Last, f.N = owed.latest.row, owed.latest.row, owed.latest.n
	}
	f.T = e.stdout
	r.Report(f)
}

// heldOpen judges a server that exited and whose stdout did not end.
func (conn *processConn) heldOpen(ev *session.Event, r session.Reporter) {
	e := &conn.end
	waited := e.given != 0 || ev.T-e.exit >= int64(heldAfter)
	if e.exit == 0 || e.stdout != 0 || e.hungUp != 0 || !waited || conn.held || conn.orphans {
		return
	}
	conn.held = true
	r.Report(stdoutHeldOpen.at(ev, "server exited, but its stdout is still open %s later", formatDuration(ev.T-e.exit)))
}

// orphans reports what a server left behind. One that was killed could not help
// it.
func (c *processChecker) orphans(ev *session.Event, r session.Reporter) {
	pids := ev.Proc.PIDs
	if len(pids) == 0 {
		return
	}
	if !ev.Conn.Ended {
		c.conns.get(ev.Conn.ID).orphans = true
	}
	const most = 5
	names := make([]string, 0, most+1)
	for _, pid := range pids[:min(len(pids), most)] {
		names = append(names, strconv.Itoa(pid))
	}
	if len(pids) > most {
		names = append(names, "…")
	}
	what := "1 process of the server outlived it: pid "
	if len(pids) > 1 {
		what = strconv.Itoa(len(pids)) + " processes of the server outlived it: pids "
	}
	f := orphanDescendants.at(ev, "%s", what+strings.Join(names, ", "))
	if ev.Conn.ExitSig == "SIGKILL" {
		f.Severity, f.Fault = session.Info, session.Nobody
	}
	r.Report(f)
}
