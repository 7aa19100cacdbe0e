package protocol

import (
	"bytes"
	"slices"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// maxAnswered is how many answered requests of each side are kept.
const maxAnswered = 256

// cancellationConn judges what is cancelled. Requests that a server cancels in the
// modern era belong to server-cancelled-request.
type cancellationConn struct {
	rule.Coverage
	tasks bool // tasks: a side declared tasks.
	done  [2]rule.Ring[doneRequest]
}

// A doneRequest is an answered request.
type doneRequest struct {
	id   uint64
	n    uint64
	at   int64
	what string
	task bool // task: the response was a task.
	left bool // left: its round trip ended without the response.
}

// Check implements session.Checker.
func (c *cancellationConn) Check(ev *session.Event, r session.Reporter) {
	c.Note(ev)
	if ev.Kind == session.ExchangeGone && ev.Trip != nil {
		c.left(ev)
	}
	if ev.Kind != session.MessageSeen {
		return
	}
	m := ev.Message
	switch {
	case m.Kind.Response():
		if ev.Exchange != nil {
			c.answered(ev)
		}
	case ev.Method == nil:
	case m.Kind == jsonrpc.Notification && ev.Method.Name == mcp.CancelledNotification && ev.Frame.Stream != session.Stderr:
		if !rule.ByUser(ev) && !(ev.Frame.Stream == session.S2C && rule.IsModern(ev)) {
			c.cancelled(ev, r)
		}
	case m.Kind == jsonrpc.Request && ev.Method.Name == mcp.Initialize:
		c.declared(rule.FieldText(ev, m.Field(jsonrpc.ParamCapabilities)))
	}
}

// declared records the capabilities of either side.
func (c *cancellationConn) declared(capabilities []byte) {
	c.tasks = c.tasks || capabilities == nil || bytes.Contains(capabilities, []byte(`"tasks"`))
}

// answered stores an answered request.
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
	c.done[x.Sender].Push(d, maxAnswered)
}

// left stores a request whose round trip ended without its response: it may be cancelled
// nevertheless, because the server may still work.
func (c *cancellationConn) left(ev *session.Event) {
	if id, ok := rule.HashID(ev.Exchange.ID); ok {
		c.done[ev.Exchange.Sender].Push(doneRequest{id: id, left: true}, maxAnswered)
	}
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
			r.Report(cancelIDMissing.AtMember(ev, []string{"CancelledParams.requestId"}, "%s sent notifications/cancelled without a requestId", rule.Writer(ev)))
		}
		return
	case !rule.UsableID(v):
		r.Report(cancelIDMissing.AtMember(ev, []string{"CancelledParams.requestId"}, "%s sent notifications/cancelled with a requestId that is %s", rule.Writer(ev), tokenText(v)))
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
	what := "which it did not send or which ended long before"
	if c.latest(ev.Frame.Stream, h^rule.StringMark) != nil || c.opposite(ev, h^rule.StringMark) {
		what = "whose id has another JSON type"
	}
	r.Report(cancelUnknownRequest.At(ev, "%s cancelled the request %s, %s", rule.Writer(ev), rule.RawText(v), what))
}

// waits reports whether a request in flight has that id, although the analysis
// did not match it.
func (c *cancellationConn) waits(ev *session.Event, v *jsonrpc.Value, h uint64) bool {
	return len(ev.Conn.Open[ev.Frame.Stream]) > rule.MaxScan || c.opposite(ev, h) || sameNumber(ev.Conn.Open[ev.Frame.Stream], v) != nil
}

// opposite reports whether a request in flight has an id with that hash.
func (c *cancellationConn) opposite(ev *session.Event, h uint64) bool {
	return slices.ContainsFunc(scanned(ev.Conn.Open[ev.Frame.Stream]), func(x *session.Exchange) bool {
		id, ok := rule.HashID(x.ID)
		return ok && id == h
	})
}

// latest returns the latest answered request with an id, nil if there is none.
func (c *cancellationConn) latest(from session.Stream, h uint64) *doneRequest {
	return c.done[from].Latest(func(d *doneRequest) bool { return d.id == h })
}

// tooLate judges the cancellation of an answered request.
func (c *cancellationConn) tooLate(ev *session.Event, d *doneRequest, r session.Reporter) {
	after := ev.T - d.at
	what := rule.RequestName(d.what, d.n, "")
	switch {
	case d.left:
	case d.what == mcp.SubscriptionsListen:
		// Both sides may end it.
	case d.task && after > cancelRace && cancelUsedForTask.In(rule.Version(ev)):
		r.Report(cancelUsedForTask.At(ev, "%s, which was made a task, was cancelled by notifications/cancelled", what).Since(d.at))
	case d.task, after <= cancelRace:
		// They crossed on the wire.
	default:
		r.Report(cancelUnknownRequest.At(ev, "%s was cancelled %s after it was answered", what, rule.FormatDuration(after)).Graded(session.Info).Keyed("over").Since(d.at))
	}
}

var Cancellation = rule.Family{
	Name:  "cancellation",
	Title: "Cancellation",
	Rules: []*rule.Rule{cancelUnknownRequest, cancelIDMissing, cancelUsedForTask},
	New:   func() session.Checker { return &cancellationConn{} },
}

var cancelUnknownRequest = &rule.Rule{ID: "cancel-unknown-request", Severity: session.Warning}
var cancelIDMissing = &rule.Rule{ID: "cancel-id-missing", Alone: true, Severity: session.Error, NeedsAll: true}
var cancelUsedForTask = &rule.Rule{ID: "cancel-used-for-task", Severity: session.Error, Since: mcp.V4}
