package exchange

import (
	"bytes"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// cancellationChecker judges what is cancelled. What a server cancels in the
// modern era is the business of server-cancelled-request.
type cancellationChecker struct {
	conns rule.PerConn[cancellationConn]
}

// maxAnswered is how many answered requests of each side are kept.
const maxAnswered = 256

type cancellationConn struct {
	rule.Coverage
	tasks bool // tasks: a side declared that it has them.
	done  [2][]doneRequest
	next  [2]int // next is where the ring is written next.
}

// A doneRequest was answered.
type doneRequest struct {
	id   uint64
	n    uint64
	at   int64
	what string
	task bool // task: the answer was a task.
}

// Check implements session.Checker.
func (c *cancellationChecker) Check(ev *session.Event, r session.Reporter) {
	switch ev.Kind {
	case session.FrameSeen:
		if f := ev.Frame; f.Text.Emitted != 1 {
			c.conns.Get(ev.Conn.ID).Frame(f)
		}
	case session.MessageSeen:
		c.message(ev, r)
	case session.ConnEnded:
		c.conns.Drop(ev.Conn.ID)
	case session.FrameGrew, session.FrameStalled, session.ExchangeGone, session.ExchangeLate, session.IOSeen, session.ProcSeen, session.Timer:
	}
}

func (c *cancellationChecker) message(ev *session.Event, r session.Reporter) {
	m, x := ev.Message, ev.Exchange
	switch {
	case m.Kind.Response():
		if x != nil {
			c.conns.Get(ev.Conn.ID).answered(ev)
		}
	case ev.Method == nil:
	case m.Kind == jsonrpc.Notification && ev.Method.Name == mcp.CancelledNotification && ev.Frame.Stream != session.Stderr:
		if !rule.ByUser(ev) && !(ev.Frame.Stream == session.S2C && rule.IsModern(ev)) {
			c.conns.Get(ev.Conn.ID).cancelled(ev, r)
		}
	case m.Kind == jsonrpc.Request && ev.Method.Name == mcp.Initialize:
		c.conns.Get(ev.Conn.ID).declared(rule.FieldText(ev, m.Field(jsonrpc.ParamCapabilities)))
	}
}

// declared takes note of the capabilities of either side.
func (c *cancellationConn) declared(capabilities []byte) {
	c.tasks = c.tasks || capabilities == nil || bytes.Contains(capabilities, []byte(`"tasks"`))
}

// answered keeps a request that was answered.
func (c *cancellationConn) answered(ev *session.Event) {
	x, m := ev.Exchange, ev.Message
	id, ok := rule.HashID(x.ID)
	if !ok {
		return
	}
	if x.Method == mcp.Initialize && m.Kind == jsonrpc.Result {
		c.declared(rule.FieldText(ev, m.Field(jsonrpc.ResultCapabilities)))
	}
	d := doneRequest{id: id, n: x.ReqN, at: ev.T, what: x.Method}
	d.task = m.Field(jsonrpc.ResultTaskTaskID).Present() || m.Field(jsonrpc.ResultType).Is("task")
	ring := &c.done[x.Sender]
	if len(*ring) < maxAnswered {
		*ring = append(*ring, d)
		return
	}
	(*ring)[c.next[x.Sender]] = d
	c.next[x.Sender] = (c.next[x.Sender] + 1) % maxAnswered
}

// cancelled judges a cancellation.
func (c *cancellationConn) cancelled(ev *session.Event, r session.Reporter) {
	v := ev.Message.Field(jsonrpc.ParamRequestID)
	if t := ev.Message.Params.Type; t != jsonrpc.Object && t != jsonrpc.Absent {
		return
	}
	switch {
	case !v.Present():
		if !(rule.Version(ev) == mcp.V4 && c.tasks) {
			r.Report(cancelIDMissing.At(ev, "%s sent notifications/cancelled without a requestId", rule.Writer(ev)))
		}
		return
	case !rule.UsableID(v):
		r.Report(cancelIDMissing.At(ev, "%s sent notifications/cancelled with a requestId that is %s", rule.Writer(ev), tokenText(v)))
		return
	}
	h, ok := rule.HashID(v.Raw)
	if !ok || ev.Exchange != nil {
		return
	}
	if d := c.latest(ev.Frame.Stream, h); d != nil {
		c.tooLate(ev, d, r)
		return
	}
	if !c.Sees(ev, ev.Frame.Stream) || c.waits(ev, v, h) {
		return
	}
	f := cancelUnknownRequest.At(ev, "%s cancelled the request %s, which it did not send or which was over long before", rule.Writer(ev), rule.RawText(v))
	if c.latest(ev.Frame.Stream, h^rule.TextMark) != nil || c.opposite(ev, h^rule.TextMark) {
		f.Message = rule.Writer(ev).String() + " cancelled the request " + rule.RawText(v) + ", whose id is of another JSON type"
	}
	r.Report(f)
}

// waits reports whether a request under way has that id, though it was not found.
func (c *cancellationConn) waits(ev *session.Event, v *jsonrpc.Value, h uint64) bool {
	return len(ev.Conn.Open[ev.Frame.Stream]) > rule.MaxScan || c.opposite(ev, h) || sameNumber(ev.Conn.Open[ev.Frame.Stream], v) != nil
}

// opposite reports whether a request under way has the id of that hash.
func (c *cancellationConn) opposite(ev *session.Event, h uint64) bool {
	open := ev.Conn.Open[ev.Frame.Stream]
	for _, x := range open[:min(len(open), rule.MaxScan)] {
		if id, ok := rule.HashID(x.ID); ok && id == h {
			return true
		}
	}
	return false
}

// latest returns the latest answered request with an id, nil where there is none.
func (c *cancellationConn) latest(from session.Stream, h uint64) *doneRequest {
	var found *doneRequest
	for i := range c.done[from] {
		if d := &c.done[from][i]; d.id == h && (found == nil || d.at >= found.at) {
			found = d
		}
	}
	return found
}

// tooLate judges the cancellation of a request that was answered.
func (c *cancellationConn) tooLate(ev *session.Event, d *doneRequest, r session.Reporter) {
	after := ev.T - d.at
	what := rule.RequestName(d.what, d.n, "")
	switch {
	case d.what == mcp.SubscriptionsListen:
		// Its end may be said by both sides.
	case d.task && after > cancelRace && cancelUsedForTask.In(rule.Version(ev)):
		r.Report(cancelUsedForTask.At(ev, "%s, which was made a task, was cancelled by notifications/cancelled", what))
	case d.task, after <= cancelRace:
		// They crossed on the wire.
	default:
		f := cancelUnknownRequest.At(ev, "%s was cancelled %s after it was answered", what, rule.FormatDuration(after))
		f.Severity, f.Key = session.Info, "over"
		r.Report(f)
	}
}
