package rule

import (
	"cmp"
	"time"

	"wiretea/session"
)

// Ending follows the end of a connection, and which side began it. Times are 0
// if the event did not happen. A server that ends shows this by its exit and by
// the end of its stdout, in either order; its client then closes stdin. So only
// the first event counts.
type Ending struct {
	Begun int64         // Begun is when the first of them happened.
	By    session.Fault // By is the side that caused it; Nobody before, and if a signal came from elsewhere.

	Stdin  int64 // Stdin is when the client closed the server's stdin.
	HungUp int64 // HungUp is when the client stopped reading the server's stdout.
	Stdout int64 // Stdout is when the server's stdout ended.
	Given  int64 // Given is when wiretea gave up reading stdout, although it had not ended.
	Stderr int64 // Stderr is when the server's stderr ended.
	Exit   int64
	Signal int64 // Signal is when the first signal that ends a process was sent.
	Term   int64 // Term is when the first SIGTERM was sent.

	Blocked [2]int64 // Blocked is since when the bytes of a stream are not read, by stream.
}

// Note records an event of a stream or of the process.
func (e *Ending) Note(ev *session.Event) {
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
			e.mark(&e.HungUp, t, session.Client)
		}
	case "blocked":
		if ev.Stream <= session.S2C {
			e.Blocked[ev.Stream] = t
			if last := ev.Conn.LastT[ev.Stream]; last > 0 {
				e.Blocked[ev.Stream] = min(t, last)
			}
		}
	case "unblocked":
		if ev.Stream <= session.S2C {
			e.Blocked[ev.Stream] = 0
		}
	}
}

// over records the end of a stream. "closed" means that its reader closed it
// or, with side server on a stream that the server writes, that wiretea did not
// wait for its end.
func (e *Ending) over(ev *session.Event, t int64) {
	eof := ev.IO.Event == "eof"
	switch ev.Stream {
	case session.C2S:
		if eof {
			e.mark(&e.Stdin, t, session.Client)
		}
	case session.S2C:
		switch {
		case eof:
			e.mark(&e.Stdout, t, session.Server)
		case ev.IO.Side == "client":
			e.mark(&e.HungUp, t, session.Client)
		case e.Given == 0:
			e.Given = t
		}
	case session.Stderr:
		e.Stderr = cmp.Or(e.Stderr, t)
	}
}

func (e *Ending) proc(ev *session.Event, t int64) {
	switch p := &ev.Proc; p.Event {
	case "exit":
		e.mark(&e.Exit, t, session.Server)
	case "signal":
		if e.Exit != 0 || !EndsProcess(p.Signal) {
			return
		}
		if p.Signal == "SIGTERM" && e.Term == 0 {
			e.Term = t
		}
		by := session.Client
		if p.By == "other" || p.By == "fault" {
			by = session.Nobody
		}
		e.mark(&e.Signal, t, by)
	}
}

// mark sets a time once, and the side that began the end if nothing came
// before.
func (e *Ending) mark(at *int64, t int64, by session.Fault) {
	if *at != 0 {
		return
	}
	*at = t
	if e.Begun == 0 {
		e.Begun, e.By = t, by
	}
}

// EndsProcess reports whether a signal is meant to end a process.
func EndsProcess(name string) bool {
	switch name {
	case "SIGTERM", "SIGKILL", "SIGINT", "SIGHUP", "SIGQUIT":
		return true
	}
	return false
}

// Explains reports whether the state of the process and its streams alone
// explains why requests of a sender are not answered.
func (e *Ending) Explains(from session.Stream) bool {
	if from == session.S2C {
		return e.Stdin != 0 || e.HungUp != 0 || e.Clogged(from)
	}
	return e.Exit != 0 || e.Stdout != 0 || e.HungUp != 0 || e.Clogged(from)
}

// Clogged reports whether bytes of a sender's requests, or of their responses,
// wait to be read.
func (e *Ending) Clogged(from session.Stream) bool {
	return e.Blocked[from] != 0 || e.Blocked[from.Reverse()] != 0
}

// eofBurst is how soon after the end of stdin a response counts as flushed by
// it.
const eofBurst = int64(200 * time.Millisecond)

// heldAtLeast is how long a response must have been missing so that its arrival
// at the end of stdin is not a coincidence, unless its client gives up earlier.
const heldAtLeast = int64(5 * time.Second)

// BroughtByEOF reports whether a result that needs no work came after a long
// time, right after the client had closed stdin. A slow handler would have to
// finish at that very moment, and one that is interrupted by the end returns an
// error.
func BroughtByEOF(ev *session.Event) bool {
	x, eof := ev.Exchange, ev.Conn.StdinEOF
	return x.Sender == session.C2S && eof != 0 && x.State == session.Answered && IsQuick(ev.Method) &&
		x.RespT1 > eof && x.RespT1-eof <= eofBurst && eof-x.ReqT >= min(heldAtLeast, max(int64(time.Second), TimeoutOf(ev.Conn, x.Method)*19/20))
}
