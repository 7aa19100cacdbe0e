package protocol

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

// waiting judges how long requests wait. It stores only requests whose timeout
// has passed.
type waiting struct {
	greeted  bool     // greeted: the server has responded to a request.
	deaf     bool     // deaf: the server has closed its stdin.
	human    int64    // human is when a request that waits for a person ended last.
	excused  []uint32 // excused are the rows of requests that were reported, or must not be.
	gaveUp   []waiter // gaveUp are requests that their sender cancelled after their timeout.
	lost     []waiter // lost are those that were in flight at the end of the connection.
	garbled  [2]int64 // garbled is when a stream last had a message that could not be read.
	occupied [2]bool  // occupied: one of the lost requests of that sender may take its time.
}

// A waiter is a request that was not answered in time.
type waiter struct {
	found session.Finding // found is the finding of UnansweredRequest.
	row   uint32
	name  string
	since int64 // since is when its timeout began.
	late  bool  // late: its timeout has passed.
	quick bool
	from  session.Stream
}

// Bounds. Requests beyond them are not judged.
const (
	maxExcused = 1024
	maxGaveUp  = 64
	maxLost    = 256
)

const (
	// patience is how long after its timeout a request is still waited for
	// before it is reported: a tenth of the timeout, within these bounds. A
	// response in between is late.
	minPatience = int64(200 * time.Millisecond)
	maxPatience = int64(5 * time.Second)

	// gaveUpWait is how long a response may follow a request that was given up.
	gaveUpWait = int64(10 * time.Second)

	// neverAfter is how long a quick request must have waited when the
	// connection ends so that its missing response is a fault, and neverAtStart
	// the same for a server that has not sent anything yet.
	neverAfter   = int64(5 * time.Second)
	neverAtStart = int64(10 * time.Second)
)

// slowAfter returns the latency above which a response is slow.
func slowAfter(m *mcp.Method) int64 {
	switch {
	case m != nil && m.Name == mcp.Ping:
		return int64(time.Second)
	case rule.IsQuick(m):
		return int64(5 * time.Second)
	}
	return int64(30 * time.Second)
}

func unbounded(m *mcp.Method) bool { return m != nil && m.Unbounded }

func patienceFor(limit int64) int64 { return min(max(limit/10, minPatience), maxPatience) }

// since returns when the timeout of a request began: when it was sent, when it
// last showed progress, or when a person was last waited for.
func (w *waiting) since(x *session.Exchange) int64 { return max(x.ReqT, x.LastProgress, w.human) }

// waitsForHuman reports whether the server has a question open that a person
// must answer, or that may stay open.
func waitsForHuman(c *session.Conn) bool {
	_, n := c.HumanWait()
	return n > 0
}

// excuse keeps a request from being reported as unanswered.
func (w *waiting) excuse(row uint32) {
	rule.Push(&w.excused, row, maxExcused)
}

// takeExcuse reports whether a request was excused, and forgets it.
func (w *waiting) takeExcuse(row uint32) bool {
	i := slices.Index(w.excused, row)
	if i < 0 {
		return false
	}
	w.excused = slices.Delete(w.excused, i, i+1)
	return true
}

// unread reports whether the response to a request may have come in a form that
// could not be read, which is then the fault.
func (w *waiting) unread(x *session.Exchange) bool {
	return w.garbled[x.Sender.Reverse()] >= max(1, x.ReqT)
}

// again sets a timer for when a request is overdue.
func (w *waiting) again(ev *session.Event, r session.Reporter, x *session.Exchange) {
	r.At(w.due(ev.Conn, x), ev.Conn.ID, session.TimerKey{Rule: UnansweredRequest.ID, Num: timerNum(x.Sender, x.Req, false)})
}

// due returns when a request is overdue. The first request also waits for the
// start of the server, which installers and large imports delay.
func (w *waiting) due(c *session.Conn, x *session.Exchange) int64 {
	limit := rule.TimeoutOf(c, x.Method)
	if x.Sender == session.C2S && !w.greeted && c.Started {
		return w.since(x) + 2*limit
	}
	return w.since(x) + limit + patienceFor(limit)
}

// A timer's number identifies a request: its sender, its row, and whether it
// was given up.
func timerNum(from session.Stream, row uint32, gaveUp bool) uint64 {
	n := uint64(row)<<2 | uint64(from)<<1
	if gaveUp {
		n |= 1
	}
	return n
}

// expired judges a request whose timer fired, if it is still unanswered.
func (w *waiting) expired(ev *session.Event, r session.Reporter, end *rule.Ending) {
	row, from := uint32(ev.Timer.Num>>2), session.Stream(ev.Timer.Num>>1&1)
	if ev.Timer.Num&1 != 0 {
		if i := slices.IndexFunc(w.gaveUp, func(g waiter) bool { return g.row == row }); i >= 0 {
			r.Report(w.gaveUp[i].found)
			w.gaveUp = slices.Delete(w.gaveUp, i, i+1)
		}
		return
	}
	open := ev.Conn.Open[from]
	i, ok := slices.BinarySearchFunc(open, row, func(x *session.Exchange, row uint32) int { return int(int64(x.Req) - int64(row)) })
	if !ok || noAnswer(ev.Conn, open[i]) || slices.Contains(w.excused, row) || end.Explains(from) || w.unread(open[i]) || w.probe(ev.Conn, open[i]) {
		return
	}
	x := open[i]
	switch {
	case from == session.C2S && waitsForHuman(ev.Conn):
		w.human = ev.T
		w.again(ev, r, x)
	case ev.T < w.due(ev.Conn, x):
		w.again(ev, r, x)
	default:
		r.Report(w.unanswered(ev, x, w.since(x)))
		w.excuse(row)
	}
}

// noAnswer reports whether clients must not respond to a request: in the modern
// era servers send none, which server-initiated-request reports ([V5]
// basic/transports/stdio §Sending Messages).
func noAnswer(c *session.Conn, x *session.Exchange) bool {
	return x.Sender == session.S2C && c.Era == mcp.Modern
}

// probe reports whether a request is the probe of a client that may fall back,
// which the process rules judge.
func (w *waiting) probe(c *session.Conn, x *session.Exchange) bool {
	return x.Method == mcp.ServerDiscover && c.Phase != session.PhaseModern
}

// unanswered is the finding of a request that waited from since until the
// event.
func (w *waiting) unanswered(ev *session.Event, x *session.Exchange, since int64) session.Finding {
	at := *ev
	at.Frame, at.Exchange = nil, x
	method, known := mcp.Lookup(x.Method)
	limit := rule.TimeoutOf(ev.Conn, x.Method)
	f := UnansweredRequest.At(&at, "%s unanswered for %s", rule.NameOf(x), rule.FormatDuration(limit))
	if known {
		f.Key = method.Name
	}
	if since > x.ReqT {
		f.Message += " after its last sign of life"
	}
	if f.T = min(ev.T, since+limit); w.deaf && x.Sender == session.C2S {
		f.Hint = "the server has closed its stdin, and reads no more requests: let it read until EOF"
	}
	f.Breaks = impatient(x, limit)
	return f
}

// impatient returns the clients that give up within a time.
func impatient(x *session.Exchange, waited int64) []string {
	if x.Sender != session.C2S {
		return nil
	}
	var names []string
	for _, c := range mcp.Clients() {
		if c.Timeout > 0 && waited >= int64(c.Timeout) {
			names = append(names, c.Name)
		}
	}
	return names
}

// cancelled judges a cancelled request. If it was cancelled because of its
// timeout, the missing response is the fault.
func (w *waiting) cancelled(ev *session.Event, r session.Reporter, end *rule.Ending) {
	x := ev.Exchange
	if ev.Method == nil || ev.Method.Name != mcp.CancelledNotification || x.State != session.Cancelled || x.Cancel != max(1, ev.Frame.T) {
		return
	}
	method, _ := mcp.Lookup(x.Method)
	limit := rule.TimeoutOf(ev.Conn, x.Method)
	since := w.since(x)
	waited := ev.T - since
	// A sender's clock starts before its request is seen here, and its limit may be shorter.
	timedOut := waited >= limit-limit/20 || waited >= min(slowAfter(method), limit/2) && saysTimeout(ev.Frame.Head)
	switch {
	case unbounded(method), ev.Conn.ForHuman(x):
		w.human = ev.T
		return
	case !timedOut, noAnswer(ev.Conn, x), w.takeExcuse(x.Req), end.Explains(x.Sender), w.unread(x), w.probe(ev.Conn, x), len(w.gaveUp) == maxGaveUp:
		return
	case x.Sender == session.C2S && waitsForHuman(ev.Conn):
		return
	}
	f := w.unanswered(ev, x, since)
	by := gaveUp(ev.Conn, x)
	if ev.Frame.Way == session.WayOut && x.Way != session.WayOut {
		by = "wiretea's user cancelled it, and its sender still waits"
	}
	f.Message = rule.NameOf(x) + " unanswered for " + rule.FormatDuration(waited) + "; " + by
	f.T = ev.T
	w.gaveUp = append(w.gaveUp, waiter{found: f, row: x.Req})
	r.At(ev.T+min(limit, gaveUpWait), ev.Conn.ID, session.TimerKey{Rule: UnansweredRequest.ID, Num: timerNum(x.Sender, x.Req, true)})
}

// gaveUp says whose timeout ended the wait for a response.
func gaveUp(c *session.Conn, x *session.Exchange) string {
	if c.Ours && x.Sender == session.C2S {
		return "wiretea gave up"
	}
	return "its sender gave up"
}

// saysTimeout reports whether a cancellation gives a timeout as its reason.
func saysTimeout(head []byte) bool {
	_, reason, ok := bytes.Cut(head, []byte(`"reason"`))
	if !ok {
		return false
	}
	reason = bytes.ToLower(reason)
	words := []string{"timed out", "timeout", "deadline exceeded", "no answer within"}
	return slices.ContainsFunc(words, func(word string) bool { return bytes.Contains(reason, []byte(word)) })
}

// answered judges how long a response took.
func (w *waiting) answered(ev *session.Event, r session.Reporter) {
	x := ev.Exchange
	people := ev.Conn.ForHuman(x)
	if people {
		w.human = ev.T
	}
	first := ev.Frame.Stream == session.S2C && !w.greeted && ev.Conn.Started
	if ev.Frame.Stream == session.S2C {
		w.greeted = true
	}
	if len(w.gaveUp) > 0 {
		w.gaveUp = slices.DeleteFunc(w.gaveUp, func(g waiter) bool { return g.row == x.Req })
	}
	if ev.Match != session.MatchAnswer && ev.Match != session.MatchLate {
		return
	}
	took := x.RespT - x.ReqT
	if took <= int64(time.Second) || people || unbounded(ev.Method) || len(w.excused) > 0 && w.takeExcuse(x.Req) || first || rule.BroughtByEOF(ev) {
		return
	}
	if x.Sender == session.C2S && (w.human > x.ReqT || waitsForHuman(ev.Conn)) {
		took = x.RespT - w.human
		if waitsForHuman(ev.Conn) {
			took = 0
		}
	}
	w.measure(ev, r, took)
}

// measure reports a slow response.
func (w *waiting) measure(ev *session.Event, r session.Reporter, took int64) {
	x := ev.Exchange
	limit := rule.TimeoutOf(ev.Conn, x.Method)
	var f session.Finding
	switch slow := slowAfter(ev.Method); {
	case took > limit:
		f = lateResponse.At(ev, "%s answered after %s, the limit is %s", rule.NameOf(x), rule.FormatDuration(took), rule.FormatDuration(limit))
		f.Breaks = impatient(x, took)
	case took > slow:
		f = slowResponse.At(ev, "%s took %s, more than %s", rule.NameOf(x), rule.FormatDuration(took), rule.FormatDuration(slow))
	default:
		return
	}
	if ev.Method != nil {
		f.Key = ev.Method.Name
	}
	r.Report(f)
}

// closed judges a request whose round trip ended without its response. If the client
// closed it because of its timeout, the missing response is the fault.
func (w *waiting) closed(ev *session.Event, r session.Reporter) {
	x := ev.Exchange
	limit, waited := rule.TimeoutOf(ev.Conn, x.Method), ev.T-w.since(x)
	if w.takeExcuse(x.Req) || ev.Trip.Why != "client" || waited < limit-limit/20 || unbounded(ev.Method) || ev.Conn.ForHuman(x) {
		return
	}
	f := w.unanswered(ev, x, w.since(x))
	f.Message = rule.NameOf(x) + " unanswered for " + rule.FormatDuration(waited) + "; " + gaveUp(ev.Conn, x)
	f.T = ev.T
	r.Report(f)
}

// gone records a request that was in flight at the end of the connection.
func (w *waiting) gone(ev *session.Event) {
	x := ev.Exchange
	quick := rule.IsQuick(ev.Method)
	if !quick && x.Method != mcp.SubscriptionsListen {
		w.occupied[x.Sender] = true
	}
	if unbounded(ev.Method) || noAnswer(ev.Conn, x) || ev.Conn.ForHuman(x) || len(w.lost) == maxLost || w.takeExcuse(x.Req) || w.unread(x) || w.probe(ev.Conn, x) {
		return
	}
	since := w.since(x)
	w.lost = append(w.lost, waiter{
		found: w.unanswered(ev, x, since), row: x.Req, name: rule.NameOf(x), since: since, quick: quick, from: x.Sender,
		late: x.Late && ev.T-since > rule.TimeoutOf(ev.Conn, x.Method),
	})
}

// ended judges the requests that were unanswered at the end of the connection.
func (w *waiting) ended(ev *session.Event, r session.Reporter, end *rule.Ending) {
	for i := range w.gaveUp {
		r.Report(w.gaveUp[i].found)
	}
	if end.By == session.Server {
		return
	}
	until := cmp.Or(end.Begun, ev.T)
	people := w.occupied[session.S2C]
	for i := range w.lost {
		l := &w.lost[i]
		enough := neverAfter
		if !w.greeted && l.from == session.C2S {
			enough = neverAtStart
		}
		switch {
		case end.Clogged(l.from) || people && l.from == session.C2S:
		case l.late:
			r.Report(l.found)
		case l.quick && !w.occupied[l.from] && until-l.since > enough:
			f := l.found
			f.Rule, f.Severity, f.Hint = requestNeverAnswered.ID, requestNeverAnswered.Severity, requestNeverAnswered.Text().Hint
			f.Breaks, f.T = nil, ev.T
			f.Message = l.name + " was not answered in the " + rule.FormatDuration(until-l.since) + " until the connection was ended"
			if !w.greeted && l.from == session.C2S {
				f.Severity = session.Warning // It may still have been starting.
			}
			r.Report(f)
		}
	}
}
