package process

import (
	"time"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

const (
	// stuckAfter is how long a write may block, in nanoseconds.
	stuckAfter = int64(5 * time.Second)

	// closedStdinAfter is how long a server may keep running after a write to
	// it failed.
	closedStdinAfter = int64(500 * time.Millisecond)

	// writesAfter is how long a server may keep writing without a reader.
	writesAfter = int64(time.Second)
)

// flow judges whether written bytes are read.
type flow struct {
	waiting [2]int64 // waiting is how many bytes are unread, by stream.
	gone    int64    // gone is when the client stopped reading, 0 = it reads.
	lost    int64    // lost is how many bytes could not be written.
	told    bool     // told: write-after-close was reported.
}

// blocked records that a stream is not read.
func (f *flow) blocked(ev *session.Event, r session.Reporter, e *rule.Ending) {
	if ev.Stream > session.S2C {
		return
	}
	f.waiting[ev.Stream] = ev.IO.Bytes
	rule := ServerNotReading
	if ev.Stream == session.S2C {
		rule = clientNotReading
	}
	r.At(e.Blocked[ev.Stream]+stuckAfter, ev.Conn.ID, session.TimerKey{Rule: rule.ID, Num: uint64(ev.Stream)})
}

// stuck judges a stream that was blocked some time ago. A side that is ending
// need not read.
func (f *flow) stuck(ev *session.Event, r session.Reporter, e *rule.Ending) {
	s := session.Stream(ev.Timer.Num & 1)
	since := e.Blocked[s]
	if since == 0 || ev.T-since < stuckAfter || e.Begun != 0 {
		return
	}
	at := *ev
	at.Stream = s
	found := ServerNotReading.At(&at, "server has not read its stdin for %s, %s are unread", rule.FormatDuration(ev.T-since), rule.FormatSize(f.waiting[s]))
	if s == session.S2C {
		found = clientNotReading.At(&at, "client has not read the server's stdout for %s, %s are unread", rule.FormatDuration(ev.T-since), rule.FormatSize(f.waiting[s]))
	}
	r.Report(found)
}

// broken records a write that failed because the reader is gone.
func (f *flow) broken(ev *session.Event, r session.Reporter) {
	f.lost = ev.IO.Bytes
	switch ev.Stream {
	case session.C2S:
		r.At(ev.T+closedStdinAfter, ev.Conn.ID, session.TimerKey{Rule: writeAfterClose.ID})
	case session.S2C:
		f.gone = max(1, ev.T)
	case session.Stderr:
	}
}

// closedStdin judges a server that could not be written to and keeps running. A
// server that ended is judged by its end.
func (f *flow) closedStdin(ev *session.Event, r session.Reporter, e *rule.Ending) {
	if e.Begun != 0 || f.told {
		return
	}
	f.told = true
	found := writeAfterClose.At(ev, "server closed its stdin but keeps running, %s from the client are lost", rule.FormatSize(f.lost))
	found.Fault = session.Server
	r.Report(found)
}

// wrote judges a server that keeps writing without a reader.
func (f *flow) wrote(ev *session.Event, r session.Reporter, e *rule.Ending) {
	if f.gone == 0 || f.told || e.Exit != 0 || ev.T-f.gone < writesAfter {
		return
	}
	f.told = true
	r.Report(writeAfterClose.At(ev, "server is still writing %s after the client stopped reading", rule.FormatDuration(ev.T-f.gone)))
}

// Bounds for a slow start.
const (
	startSlow  = int64(5 * time.Second)
	startLong  = int64(30 * time.Second)
	startNever = int64(60 * time.Second)
)

// reportStartup judges the server's first response.
func reportStartup(ev *session.Event, r session.Reporter) {
	x, c := ev.Exchange, ev.Conn
	if !c.Started || x.Sender != session.C2S || ev.Match != session.MatchAnswer && ev.Match != session.MatchLate || rule.BroughtByEOF(ev) {
		return
	}
	from, what := c.StartT, "its start"
	if x.ReqT-from > int64(time.Second) {
		from, what = x.ReqT, "the request"
	}
	took := ev.T - max(c.StartT, x.ReqT)
	if took <= startSlow || took > 2*rule.TimeoutOf(c, x.Method) {
		return // In the latter case unanswered-request was reported.
	}
	f := slowStartup.At(ev, "server sent its first response, to %s, %s after %s", rule.NameOf(x), rule.FormatDuration(ev.T-from), what)
	switch {
	case took > startNever:
		f.Severity = session.Error
	case took > startLong:
		f.Severity = session.Warning
	}
	for _, known := range mcp.Clients() {
		if limit := max(known.Timeout, known.Start); limit > 0 && took > int64(limit) {
			f.Breaks = append(f.Breaks, known.Name)
		}
	}
	r.Report(f)
}

// Conditions for a response that was held back until the next request: it was
// missing for longer than a quick handler needs and shorter than usual
// timeouts, which a handler may have too, and it came right after the request.
const (
	holdAtLeast = int64(time.Second)
	holdAtMost  = int64(30 * time.Second)
	holdBurst   = int64(10 * time.Millisecond)
	holdTimes   = 2 // holdTimes is how often in succession, to exclude a coincidence.
)

// buffering detects responses that stay in a buffer of the server.
type buffering struct {
	row  uint32 // row is the request that was unanswered when the next one was sent.
	t    int64  // t is when that was; 0 = there is none.
	hits int    // hits counts how often in succession a response came with the next request.
}

// request records a request of the client; before is the one before it.
func (b *buffering) request(ev *session.Event, before *asked) {
	b.t = 0
	age := ev.Exchange.ReqT - before.t
	silent := ev.Conn.LastT[session.S2C] <= before.t+holdBurst
	if before.request && !before.answered && silent && age >= holdAtLeast && age < holdAtMost {
		b.row, b.t = before.row, max(1, ev.Exchange.ReqT)
	}
}

// answer records a response of the server.
func (b *buffering) answer(ev *session.Event, r session.Reporter) {
	x := ev.Exchange
	if rule.BroughtByEOF(ev) {
		r.Report(StdoutBuffering.At(ev, "%s waited %s and was answered %s after stdin was closed", rule.NameOf(x),
			rule.FormatDuration(ev.Conn.StdinEOF-x.ReqT), rule.FormatDuration(x.RespT1-ev.Conn.StdinEOF)))
		return
	}
	switch prompt := b.t != 0 && ev.Frame.T1-b.t <= holdBurst; {
	case !prompt:
		b.hits = 0
	case x.Req == b.row:
		if b.hits++; b.hits == holdTimes {
			r.Report(StdoutBuffering.At(ev, "%s waited %s and was answered only with the next request, like the request before it", rule.NameOf(x), rule.FormatDuration(b.t-x.ReqT)))
		}
	}
}
