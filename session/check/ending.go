package check

import (
	"time"

	"wiretea/session"
)

// ending follows how a connection comes to its end, and who began it. Times are
// 0 where a thing did not happen. A server that ends shows it by its exit and by
// the end of its stdout, in either order; a client that is left then closes
// stdin. So only what came first counts.
type ending struct {
	begun int64         // begun is when the first of them happened.
	by    session.Fault // by is whose doing that was; Nobody before, and where a signal came from elsewhere.

	stdin  int64 // stdin is when the client closed the server's stdin.
	hungUp int64 // hungUp is when the client stopped reading the server's stdout.
	stdout int64 // stdout is when the server's stdout ended.
	given  int64 // given is when reading stdout was given up, though it had not ended.
	stderr int64 // stderr is when the server's stderr ended.
	exit   int64
	signal int64 // signal is when the first signal was sent that ends a process.
	term   int64 // term is when the first SIGTERM was sent.

	blocked [2]int64 // blocked is since when nobody reads that stream's bytes, by stream.
}

// note takes note of an event of a stream or of the process.
func (e *ending) note(ev *session.Event) {
	t := max(1, ev.T)
	if ev.Kind == session.ProcSeen {
		e.proc(ev, t)
		return
	}
	switch ev.IO.Event {
	case "eof", "closed":
		e.over(ev, t)
	case "epipe":
		if ev.Stream == session.S2C {
			e.mark(&e.hungUp, t, session.Client)
		}
	case "blocked":
		if ev.Stream <= session.S2C {
			e.blocked[ev.Stream] = t
			if last := ev.Conn.LastT[ev.Stream]; last > 0 {
				e.blocked[ev.Stream] = min(t, last)
			}
		}
	case "unblocked":
		if ev.Stream <= session.S2C {
			e.blocked[ev.Stream] = 0
		}
	}
}

// over takes note of the end of a stream. "closed" says that its reader closed
// it, or, with side server on what the server writes, that its end was not
// waited for.
func (e *ending) over(ev *session.Event, t int64) {
	eof := ev.IO.Event == "eof"
	switch ev.Stream {
	case session.C2S:
		if eof {
			e.mark(&e.stdin, t, session.Client)
		}
	case session.S2C:
		switch {
		case eof:
			e.mark(&e.stdout, t, session.Server)
		case ev.IO.Side == "client":
			e.mark(&e.hungUp, t, session.Client)
		case e.given == 0:
			e.given = t
		}
	case session.Stderr:
		if e.stderr == 0 {
			e.stderr = t
		}
	}
}

func (e *ending) proc(ev *session.Event, t int64) {
	switch p := &ev.Proc; p.Event {
	case "exit":
		e.mark(&e.exit, t, session.Server)
	case "signal":
		if e.exit != 0 || !endsProcess(p.Signal) {
			return
		}
		if p.Signal == "SIGTERM" && e.term == 0 {
			e.term = t
		}
		by := session.Client
		if p.By == "other" {
			by = session.Nobody
		}
		e.mark(&e.signal, t, by)
	}
}

// mark sets a time that was not set, and whose doing the end was if nothing came
// before.
func (e *ending) mark(at *int64, t int64, by session.Fault) {
	if *at != 0 {
		return
	}
	*at = t
	if e.begun == 0 {
		e.begun, e.by = t, by
	}
}

// endsProcess reports whether a signal is sent to end a process.
func endsProcess(name string) bool {
	switch name {
	case "SIGTERM", "SIGKILL", "SIGINT", "SIGHUP", "SIGQUIT":
		return true
	}
	return false
}

// explains reports whether the state of the process and its streams alone
// explains that requests of a sender are not answered.
func (e *ending) explains(from session.Stream) bool {
	if from == session.S2C {
		return e.stdin != 0 || e.hungUp != 0 || e.clogged(from)
	}
	return e.exit != 0 || e.stdout != 0 || e.hungUp != 0 || e.clogged(from)
}

// clogged reports whether bytes of a sender's requests, or of their answers, wait
// for somebody to read them.
func (e *ending) clogged(from session.Stream) bool {
	return e.blocked[from] != 0 || e.blocked[from.Reverse()] != 0
}

// EOF brings out what a buffer held back within this time.
const eofBurst = int64(200 * time.Millisecond)

// heldAtLeast is how long an answer must have been missing for its coming at the
// end of stdin to be no accident.
const heldAtLeast = int64(5 * time.Second)

// broughtByEOF reports whether a result that needs no work came after a long
// time, and right after the client had closed stdin. A handler that was slow
// would have to finish in that very moment; one that is stopped by the end
// answers with an error.
func broughtByEOF(ev *session.Event) bool {
	x, eof := ev.Exchange, ev.Conn.StdinEOF
	return x.Sender == session.C2S && eof != 0 && x.State == session.Answered && isQuick(ev.Method) &&
		x.RespT1 > eof && x.RespT1-eof <= eofBurst && eof-x.ReqT >= heldAtLeast
}
