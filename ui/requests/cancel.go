package requests

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
	"wiretea/session/text"
	"wiretea/ui/overlay"
	"wiretea/ui/pane"
	"wiretea/ui/source"
)

// NoCancel says why the request of the selected row, or its task, cannot be
// cancelled, empty = it can, or the only pending request is offered.
func (q *Requests) NoCancel() string {
	t := q.tab
	if _, ok := t.Tools.Task(t.Ctx.Snap, t.Ctx.Snap.Row(t.Ctx.Cursor).Op); ok && q.Disabled() == "" {
		return ""
	}
	if q.onlyPending() != session.NoRow {
		return ""
	}
	return q.noCancelRow(t.Ctx.Cursor)
}

// onlyPending returns the one request of the latest connection that is pending and can be
// cancelled, session.NoRow = there is none, or there are several. A subscription is not
// counted: it is open for as long as its client wants it.
func (q *Requests) onlyPending() uint32 {
	only := session.NoRow
	c := q.tab.Ctx.Snap.LastConn()
	if c == nil {
		return only
	}
	for _, x := range c.Open[session.C2S] {
		if m, known := mcp.Lookup(x.Method); known && m.Unbounded || q.noCancelRow(x.Req) != "" {
			continue
		}
		if only != session.NoRow {
			return session.NoRow
		}
		only = x.Req
	}
	return only
}

// noCancelRow says why the request of a row cannot be cancelled, empty = it can.
func (q *Requests) noCancelRow(row uint32) string {
	if why := q.Disabled(); why != "" {
		return why
	}
	t := q.tab
	snap := t.Ctx.Snap
	row = snap.RequestOf(row)
	r := snap.Row(row)
	c := q.tab.Ctx.Snap.LastConn()
	switch {
	case row == session.NoRow:
		return "the selected row has no request"
	case r.Stream != session.C2S:
		return "this is the server's request: only the server can take it back"
	case r.Flags&session.FlagCancelled != 0:
		return "the request was cancelled already"
	case r.Pair != session.NoRow:
		return "the request has been answered; is:pending shows those that wait"
	case r.Flags&session.FlagLost != 0, c == nil, c.ID != int(r.Conn), c.Ended:
		return "the request's connection is over"
	case Unstoppable(snap.Name(r.Method)):
		return snap.Name(r.Method) + " must not be cancelled"
	case snap.ID(r) == "":
		return "the request has no id"
	case len(snap.ID(r)) >= jsonrpc.MaxCapture:
		return "the request's id is too long to be named"
	}
	return ""
}

// Unstoppable reports whether a request belongs to the handshake: "The initialize request MUST NOT
// be cancelled by clients" ([V4] basic/utilities/cancellation), and some servers
// die of a notification before its end.
func Unstoppable(method string) bool { return method == "initialize" || method == "server/discover" }

// Cancel withdraws the request of the selected row, or cancels its task. Where that request
// is not pending, it asks whether to cancel the only one that is.
func (q *Requests) Cancel() tea.Cmd {
	c := &q.tab.Ctx
	if task, ok := q.tab.Tools.Task(c.Snap, c.Snap.Row(c.Cursor).Op); ok {
		return q.CancelTask(task)
	}
	only := q.onlyPending()
	if only == session.NoRow || q.noCancelRow(c.Cursor) == "" {
		return q.CancelRow(c.Cursor)
	}
	r := c.Snap.Row(only)
	if q.theirs(r) {
		return q.CancelRow(only) // It asks.
	}
	q.tab.Open(&overlay.Confirm{
		Head: "cancel request " + text.Visible([]byte(c.Snap.ID(r)), 20) + " " + text.Visible([]byte(c.Snap.Name(r.Method)), 40) + "?",
		Parts: []overlay.Part{
			overlay.Text.Of("The selected row has no pending request. The only pending one is:"),
			overlay.Thing.Of(q.waiting(r)),
		},
		Yes: "cancels it",
		Do:  func() tea.Cmd { return q.CancelRow(only) },
	})
	return nil
}

// theirs reports whether a request was sent by the session's other client.
func (q *Requests) theirs(r session.Row) bool {
	return q.tab.Ctx.Attached != nil && r.Way != session.WayOut
}

// waiting says what a pending request is and for how long it has been pending.
func (q *Requests) waiting(r session.Row) string {
	c := &q.tab.Ctx
	id := text.Visible([]byte(c.Snap.ID(r)), 60)
	return fmt.Sprintf("%s\n#%d, id %s, for %s now", q.Named(r), r.N, id, text.Duration(max(0, c.Now-r.T)))
}

// CancelRow withdraws the request of a row. A client's own request is asked about:
// the client is not told.
func (q *Requests) CancelRow(row uint32) tea.Cmd {
	if why := q.noCancelRow(row); why != "" {
		return q.tab.Say(session.Info, why)
	}
	t := q.tab
	snap := t.Ctx.Snap
	r := snap.Row(snap.RequestOf(row))
	sender, id := t.Source.(source.Sender), snap.ID(r)
	own := t.Ctx.Attached != nil && !q.theirs(r) // own: we have sent it, and its client knows nothing of it.
	do := func() tea.Cmd {
		return func() tea.Msg {
			err := sender.Cancel(context.Background(), id)
			if own && err == nil {
				return pane.SayMsg{Text: "withdrawn; its answer may still come and is kept from the client: NOT TRANSPARENT until then", Severity: session.Info}
			}
			return failure("cancelling request "+id+": ", err)
		}
	}
	if !q.theirs(r) {
		return do()
	}
	late := func() tea.Cmd {
		if why := q.noCancelRow(row); why != "" { // It was answered while the question was open.
			return q.tab.Say(session.Info, why)
		}
		return do()
	}
	q.tab.Open(&overlay.Confirm{
		Head: "cancel the client's request?",
		Parts: []overlay.Part{
			overlay.Text.Of("Tells the server that no answer is wanted to:"),
			overlay.Thing.Of(q.waiting(r)),
			overlay.Warn.Of("The client that sent it, " + q.theirClient() + ", is not told: it goes on waiting, until it gives up by itself."),
		},
		Yes: "cancels it",
		Do:  late,
	})
	return nil
}
