package requests

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
)

// A sentRequest is a request that was sent: the cursor goes to it, from there to its
// response, and where that is not the last of its operation (legs, a task) to the responses
// that follow, until the user moves the cursor.
type sentRequest struct {
	from    int    // from is the first row that has not been looked at.
	method  string // method is its method, empty = any.
	origin  uint32 // origin is the row that it was made from, NoRow for none.
	ours    bool   // ours: only what was put in counts, since the session has a client that sends too.
	request uint32 // request is its row, NoRow while it is not in the session,
	row     uint32 // and row where the cursor was taken last.
	over    bool   // over: nothing more is looked for.
	stays   bool   // stays: the cursor is not taken along, as the list follows.
	judged  bool   // judged: whether a filter hides the request is known, and said.
}

// Follow takes the cursor to what is sent now, by its method; empty = any. It was made from
// the row origin; NoRow = from none.
func (q *Requests) Follow(method string, origin uint32) {
	c := &q.tab.Ctx
	q.sent = &sentRequest{from: c.Snap.Len(), method: method, origin: origin, ours: c.Attached != nil, request: session.NoRow, row: session.NoRow}
}

// Shown reports whether the cursor is where it was taken last.
func (q *Requests) Shown() bool {
	return q.sent != nil && !q.sent.stays && q.sent.row == q.tab.Ctx.Cursor
}

// sentRows is how many rows are looked at each time for a request on its way.
const sentRows = 4096

// FollowSent takes the cursor to a request that was sent, once it is there, and then to
// its answers.
func (q *Requests) FollowSent() tea.Cmd {
	l, t := q.sent, q.tab
	if l != nil && l.request != session.NoRow && !l.judged {
		hidden, known := t.Traffic.Hides(l.request)
		if l.judged = known; hidden {
			r := t.Ctx.Snap.Row(l.request)
			return tea.Batch(t.Say(session.Info, fmt.Sprintf("#%d %s is sent, and hidden by the filter; %s shows all rows", r.N, q.Named(r), t.Ctx.Keys.WordOf(keys.FilterOff, keys.Traffic))), q.FollowSent())
		}
	}
	if l == nil || l.over || t.Ctx.Paused || t != t.Current() {
		return nil
	}
	snap := t.Ctx.Snap
	if l.request == session.NoRow {
		if l.find(snap); l.request == session.NoRow {
			return nil
		}
		if l.origin != session.NoRow {
			t.Origins[l.request] = l.origin
		}
		sent := t.TellOne(keys.Detail, pane.SentMsg{})
		if l.stays {
			l.over = true
			return tea.Batch(sent, q.FollowSent())
		}
		return tea.Batch(sent, t.Goto(l.row), q.FollowSent())
	}
	next := l.next(snap)
	r := snap.Row(l.row)
	switch {
	case t.Ctx.Cursor != l.row, next == session.NoRow && r.Kind != session.RowRequest && r.Op == 0 && r.Flags&session.FlagAsks == 0:
		l.over = true
		return nil
	case next == session.NoRow:
		return nil
	}
	l.row = next
	return t.Goto(next)
}

// find looks for the request.
func (l *sentRequest) find(snap *session.Snapshot) {
	for n := 0; l.from < snap.Len() && n < sentRows; n++ {
		row := uint32(l.from)
		l.from++
		if r := snap.Row(row); r.Stream == session.C2S && (!l.ours || r.Way == session.WayOut) && (l.method == "" || snap.Name(r.Method) == l.method) {
			l.request, l.row = row, row
			return
		}
	}
}

// next is the row to go to from the one where the cursor was taken: an answer.
// NoRow = none yet.
func (l *sentRequest) next(snap *session.Snapshot) uint32 {
	r, next := snap.Row(l.row), session.NoRow
	if r.Kind == session.RowRequest && r.Pair < uint32(snap.Len()) {
		next = r.Pair
	}
	for n := 0; r.Op != 0 && l.from < snap.Len() && n < sentRows; n++ {
		if to := snap.Row(uint32(l.from)); to.Op == r.Op && to.Stream == session.S2C && (to.Kind == session.RowResult || to.Kind == session.RowError) {
			next = uint32(l.from)
		}
		l.from++
	}
	return next
}

// Selected is the request that is sent again, or begun from: that of the selected row;
// where the cursor followed what was sent last to one of its responses, what was sent. NoRow = there is none.
func (q *Requests) Selected() uint32 {
	snap := q.tab.Ctx.Snap
	if l := q.sent; q.Shown() && l.request != session.NoRow && l.request < uint32(snap.Len()) {
		return snap.RequestOf(l.request)
	}
	return snap.RequestOf(q.tab.Ctx.Cursor)
}
