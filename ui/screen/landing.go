package screen

import (
	tea "charm.land/bubbletea/v2"

	"wiretea/session"
)

// A landing is a request that is on its way: the cursor goes to it, from there to
// its answer, and where that is not the last of its operation (legs, a task) to
// those that follow, unless somebody takes it elsewhere.
type landing struct {
	from    int    // from is the first row that has not been looked at.
	method  string // method is its method, empty = any.
	ours    bool   // ours: only what was put in counts, since the session has a client that sends too.
	request uint32 // request is its row, NoRow while it is not in the session,
	row     uint32 // and row where the cursor was taken last.
	over    bool   // over: nothing more is looked for.
}

// landsFrom is a landing of what is sent now.
func (t *tab) landsFrom(method string) *landing {
	return &landing{from: t.ctx.Snap.Len(), method: method, ours: t.ctx.Attached != nil, request: session.NoRow, row: session.NoRow}
}

// landRows is how many rows are looked at each time for a request on its way.
const landRows = 4096

// land takes the cursor to a request that was sent, once it is there, and then to
// its answers.
func (s *Screen) land(t *tab) tea.Cmd {
	l := t.landing
	if l == nil || l.over || t.ctx.Paused || t != s.tab() {
		return nil
	}
	snap := t.ctx.Snap
	if l.request == session.NoRow {
		if l.find(snap); l.request == session.NoRow {
			return nil
		}
		cmd := tea.Batch(t.traffic.Goto(&t.ctx, l.row), t.sync())
		return tea.Batch(cmd, s.land(t))
	}
	next := l.next(snap)
	r := snap.Row(l.row)
	switch {
	case t.ctx.Cursor != l.row, next == session.NoRow && r.Kind != session.RowRequest && r.Op == 0 && r.Flags&session.FlagAsks == 0:
		l.over = true
		return nil
	case next == session.NoRow:
		return nil
	}
	l.row = next
	return tea.Batch(t.traffic.Goto(&t.ctx, next), t.sync())
}

// find looks for the request.
func (l *landing) find(snap *session.Snapshot) {
	for n := 0; l.from < snap.Len() && n < landRows; n++ {
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
func (l *landing) next(snap *session.Snapshot) uint32 {
	r, next := snap.Row(l.row), session.NoRow
	if r.Kind == session.RowRequest && r.Pair < uint32(snap.Len()) {
		next = r.Pair
	}
	for n := 0; r.Op != 0 && l.from < snap.Len() && n < landRows; n++ {
		if to := snap.Row(uint32(l.from)); to.Op == r.Op && to.Stream == session.S2C && (to.Kind == session.RowResult || to.Kind == session.RowError) {
			next = uint32(l.from)
		}
		l.from++
	}
	return next
}

// callOf is the request that is sent again, or begun from: that of the selected
// row; where the cursor stands at an answer to what was sent last and nobody took
// it there, what was sent. NoRow = there is none.
func (t *tab) callOf() uint32 {
	if l := t.landing; l != nil && l.request != session.NoRow && l.row == t.ctx.Cursor && l.request < uint32(t.ctx.Snap.Len()) {
		return requestOf(t.ctx.Snap, l.request)
	}
	return requestOf(t.ctx.Snap, t.ctx.Cursor)
}
