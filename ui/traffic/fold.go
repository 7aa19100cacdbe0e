package traffic

import (
	"maps"
	"slices"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/pane"
)

// folds say what is folded. The line of a request's head over HTTP stands for the message
// that it carries, the answer to it, and the end of the stream unless that was broken off; the
// line of a request stands for the answer, and the first end of a connection's streams for the
// others. What these lines stand for is not shown. What is searched, sought and counted are the
// rows with those that are folded away; what is gone to is unfolded, except a message, for
// which the line stands while it is selected.
type folds struct {
	all    bool            // all: every round trip is folded, except those of turned.
	pairs  bool            // pairs: every exchange is one line, except those of turned.
	turned map[uint32]bool // turned are the heads that are the other way; never written to.

	hides  bool         // hides: something is folded away.
	rows   []uint32     // rows are those shown, ascending; nothing while nothing is folded away.
	next   int          // next is how many of the rows that the filter leaves are in it or folded away.
	cancel *atomic.Bool // cancel ends the command under way, and tells its answer from those to earlier ones; nil = there is none.
}

// folded reports whether what a row is the head of is folded.
func (f *folds) folded(s *session.Snapshot, head uint32) bool {
	switch s.Row(head).Kind {
	case session.RowTrip:
		return f.all != f.turned[head]
	case session.RowIO: // The ends of streams say little.
		return !f.turned[head]
	default:
		if trip := s.TripRow(head); f.all && trip != session.NoRow && !f.turned[trip] && s.Row(head).Stream == session.C2S {
			return !f.turned[head]
		}
		return f.pairs != f.turned[head]
	}
}

// ahead is how many rows behind a request's head the message that it carries is looked for.
const ahead = 64

// carried returns the first row of the body of a request whose head is row trip, or NoRow.
func carried(s *session.Snapshot, trip uint32) uint32 {
	for i := trip + 1; i < min(trip+ahead, uint32(s.Len())); i++ {
		if r := s.Row(i); s.TripRow(i) == trip && r.Stream == session.C2S && !r.Kind.Event() {
			return i
		}
	}
	return session.NoRow
}

// tripOf returns the head of the round trip to which a row belongs, or NoRow. An answer of the
// server belongs to that of its request.
func tripOf(s *session.Snapshot, row uint32) uint32 {
	if r := s.Row(row); r.Stream == session.S2C && isAnswer(r) && s.Row(r.Pair).Kind == session.RowRequest {
		row = r.Pair
	}
	return s.TripRow(row)
}

// line returns the message for which the line of a row stands, and its answer: of a folded
// round trip what it carries, of an exchange in one line its rows. NoRow stands for none.
func (f *folds) line(s *session.Snapshot, row uint32) (msg, answer uint32) {
	msg, answer = session.NoRow, session.NoRow
	switch r := s.Row(row); {
	case r.Kind == session.RowTrip && f.folded(s, row):
		msg = carried(s, row)
	case f.inLine(s, row):
		msg = headOf(s, row, true)
	}
	if m := s.Row(msg); msg != session.NoRow && m.Kind == session.RowRequest {
		answer = m.Pair
	}
	return msg, answer
}

// Pick returns the row that is selected on the line of a row: the message for which it stands.
func (p *Pane) Pick(c *pane.Context, row uint32) uint32 {
	msg, answer := p.folds.line(c.Snap, row)
	switch {
	case isAnswer(c.Snap.Row(row)):
	case p.answers && answer != session.NoRow:
		return answer
	case msg != session.NoRow:
		return msg
	}
	return row
}

// endsBack is over how many rows the ends of a connection's streams are looked for.
const endsBack = 64

// isEnd reports whether a row is the end of a stream: its end of file, or that its reader
// or writer has closed it.
func isEnd(s *session.Snapshot, r session.Row) bool {
	if r.Kind != session.RowIO {
		return false
	}
	event := s.Name(r.Method)
	return event == "eof" || event == "closed"
}

// endsOf returns the ends of the streams of row i's connection that belong together:
// nothing came between them but lines of stderr and what happened to the process.
func endsOf(s *session.Snapshot, i uint32) (ends []uint32) {
	conn := s.Row(i).Conn
	look := func(from, step int) {
		for k := from; k >= 0 && k < s.Len() && max(k-int(i), int(i)-k) < endsBack; k += step {
			switch r := s.Row(uint32(k)); {
			case r.Conn != conn, r.Kind == session.RowProc, isStderr(r):
			case isEnd(s, r):
				ends = append(ends, uint32(k))
			default:
				return
			}
		}
	}
	look(int(i)-1, -1)
	slices.Reverse(ends)
	look(int(i), 1)
	return ends
}

// headOf is the row whose line stands for row i where that is folded: the request of an
// HTTP round trip, that of an exchange, the first end of a stream; session.NoRow for none.
// Where two could be it is the innermost.
func headOf(s *session.Snapshot, i uint32, pairs bool) uint32 {
	r := s.Row(i)
	switch {
	case isEnd(s, r):
		if ends := endsOf(s, i); len(ends) > 1 {
			return ends[0]
		}
	case !pairs || !isMessage(r):
	case r.Kind == session.RowRequest && r.Pair != session.NoRow:
		return i
	case r.Kind != session.RowRequest && s.Row(r.Pair).Kind == session.RowRequest:
		return r.Pair
	}
	return tripOf(s, i)
}

// head is the row whose line the selected row is folded into, or would be; NoRow for none.
func (p *Pane) head(c *pane.Context) uint32 {
	trip := tripOf(c.Snap, p.Cursor())
	_, shown := slices.BinarySearch(p.found(), trip)
	if shown && p.folds.folded(c.Snap, trip) {
		return trip
	}
	return headOf(c.Snap, p.Cursor(), p.folds.pairs || trip != session.NoRow && !shown && p.folds.all)
}

// found are the rows that the filter leaves, or the marked ones, with those that are
// folded away; ascending. It must not be changed.
func (p *Pane) found() []uint32 {
	if p.only {
		return p.there
	}
	return p.scan.rows
}

// list is the rows that are shown, ascending. It must not be changed.
func (p *Pane) list() []uint32 {
	if !p.only && p.folds.hides {
		return p.folds.rows
	}
	return p.found()
}

// toggleFold folds the round trip of the selected row, or unfolds it.
func (p *Pane) toggleFold(c *pane.Context) tea.Cmd {
	p.halt()
	p.unfollow()
	p.row = p.head(c)
	return p.turnFold(c, p.row)
}

// turnFold folds what a row is the head of, or unfolds it.
func (p *Pane) turnFold(c *pane.Context, head uint32) tea.Cmd {
	turned := maps.Clone(p.folds.turned)
	if turned == nil {
		turned = map[uint32]bool{}
	}
	if turned[head] = !turned[head]; !turned[head] {
		delete(turned, head)
	}
	p.folds.turned = turned
	if p.row == head {
		p.row = p.Pick(c, head)
	}
	return p.refold(c)
}

// toggleFolds folds all round trips, or unfolds them where they are.
func (p *Pane) toggleFolds(c *pane.Context) tea.Cmd {
	p.halt()
	p.folds.all, p.folds.turned = !p.folds.all, nil
	return p.refold(c)
}

// togglePairs shows every exchange in one line, or each of its messages.
func (p *Pane) togglePairs(c *pane.Context) tea.Cmd {
	p.halt()
	p.folds.pairs, p.folds.turned = !p.folds.pairs, nil
	return p.refold(c)
}

// noFold says why the selected row cannot be folded.
func (p *Pane) noFold(c *pane.Context) string {
	head := p.head(c)
	if head == session.NoRow {
		return "an HTTP round trip, an exchange in one line, and the ends of streams can be folded; this row is none of them"
	}
	if _, shown := slices.BinarySearch(p.list(), head); !shown {
		return "the filter hides the request that it belongs to"
	}
	return ""
}

// standIn is the row that shows a row: the head of a response is in the line of its
// request.
func standIn(s *session.Snapshot, row uint32) uint32 {
	if s.Row(row).Kind == session.RowTripResponse {
		return s.TripRow(row)
	}
	return row
}

// reveal unfolds what a row is folded away in, unless the line there stands for it.
func (p *Pane) reveal(c *pane.Context, row uint32) tea.Cmd {
	if _, shown := slices.BinarySearch(p.list(), row); p.only || shown {
		return nil
	}
	if _, _, stands := p.standsFor(c, row, 0); stands {
		return nil
	}
	head := headOf(c.Snap, row, false)
	if head == row || head == session.NoRow || !p.folds.folded(c.Snap, head) {
		return nil
	}
	return p.turnFold(c, head)
}

// inLine reports whether the line of a row is that of a whole exchange.
func (f *folds) inLine(s *session.Snapshot, row uint32) bool {
	r := s.Row(row)
	if !isMessage(r) || r.Kind == session.RowNotification || !f.pairs && s.TripRow(row) == session.NoRow {
		return false
	}
	head := headOf(s, row, true)
	return head != session.NoRow && s.Row(head).Kind == session.RowRequest && f.folded(s, head)
}

// standsFor is the place of the line that a row, which is not in the list, is folded into; at
// where there is none. stays: the line stands for the row while it is selected.
func (p *Pane) standsFor(c *pane.Context, row uint32, at int) (place int, shown, stays bool) {
	for _, head := range []uint32{headOf(c.Snap, row, true), headOf(c.Snap, row, false)} {
		if head == session.NoRow || !p.folds.folded(c.Snap, head) {
			continue
		}
		if place, shown = slices.BinarySearch(p.list(), head); shown {
			msg, answer := p.folds.line(c.Snap, head)
			return place, true, row == msg || row == answer
		}
	}
	return at, false, false
}

// refold finds anew what folds leave. The rows shown meanwhile are those before.
func (p *Pane) refold(c *pane.Context) tea.Cmd {
	p.folds.stop()
	return p.foldOn(c, 0)
}

func (f *folds) stop() {
	if f.cancel != nil {
		f.cancel.Store(true)
		f.cancel = nil
	}
}

// extendFolds looks at the rows that are new.
func (p *Pane) extendFolds(c *pane.Context) tea.Cmd {
	f := &p.folds
	if f.cancel != nil || f.next == len(p.scan.rows) && (f.next > 0 || len(f.rows) == 0) {
		return nil
	}
	return p.foldOn(c, f.next)
}

// foldOn finds what folds leave of the rows from the from-th on: of a few thousand at
// once, of more in a command.
func (p *Pane) foldOn(c *pane.Context, from int) tea.Cmd {
	f := &p.folds
	w := foldWork{snap: c.Snap, rows: p.scan.rows, from: from, folds: folds{all: f.all, pairs: f.pairs, turned: f.turned}}
	if len(w.rows)-from <= stretch {
		p.takeFolds(c, &w, w.run())
		return p.load(c)
	}
	cancel := new(atomic.Bool)
	f.cancel, w.cancel = cancel, cancel
	return pane.Work(p, func() pane.Then {
		rows := w.run()
		return func(c *pane.Context) tea.Cmd {
			if p.folds.cancel != cancel {
				return nil
			}
			p.folds.cancel = nil
			p.takeFolds(c, &w, rows)
			return tea.Batch(p.extendFolds(c), p.goOn(c))
		}
	})
}

// takeFolds takes what folds leave of the rows that were looked at; nil = all of them.
func (p *Pane) takeFolds(c *pane.Context, w *foldWork, rows []uint32) {
	f := &p.folds
	f.next = len(w.rows)
	switch {
	case w.from == 0:
		f.hides = rows != nil
		p.swap(c, rows)
		return
	case !f.hides && rows == nil:
	case !f.hides:
		f.hides, f.rows = true, append(slices.Clone(w.rows[:w.from]), rows...)
	case rows == nil:
		f.rows = append(f.rows, w.rows[w.from:]...)
	default:
		f.rows = append(f.rows, rows...)
	}
	p.settle(c)
}

// swap replaces the rows shown, and keeps the cursor's line where it is on the screen.
func (p *Pane) swap(c *pane.Context, rows []uint32) {
	line, had := p.at-p.top, p.at >= 0
	p.folds.rows = rows
	p.settle(c)
	if had && p.top != centre && p.at >= 0 {
		p.top = max(0, p.at-line)
	}
}

// foldWork is what a command needs to fold rows.
type foldWork struct {
	snap   *session.Snapshot
	rows   []uint32 // rows are those that the filter leaves.
	from   int
	folds  folds
	cancel *atomic.Bool // cancel is nil where it cannot be cancelled.
}

// run returns what is shown of the rows, nil where all of them are.
func (w *foldWork) run() []uint32 {
	var out []uint32
	hidden := false
	last, first := session.NoRow, session.NoRow // last is the round trip looked at last, and first what it carries.
	hides := false                              // hides: its line stands for that.
	for k := w.from; k < len(w.rows); k++ {
		if k%stretch == 0 && w.cancel != nil && w.cancel.Load() {
			return nil
		}
		row := w.rows[k]
		trip := tripOf(w.snap, row)
		if trip != last {
			if last, hides = trip, trip != session.NoRow && w.away(trip); hides {
				first = carried(w.snap, trip)
			}
		}
		if hides && row != trip && w.inTrip(row, first) || w.inLine(row, trip) {
			if !hidden {
				hidden, out = true, append(make([]uint32, 0, len(w.rows)-w.from), w.rows[w.from:k]...)
			}
			continue
		}
		if hidden {
			out = append(out, row)
		}
	}
	return out
}

// inTrip reports whether the line of a round trip that carries the message first stands for
// one of its rows: the message, its answer, or the end of the stream if that says no more.
func (w *foldWork) inTrip(row, first uint32) bool {
	r := w.snap.Row(row)
	if r.Kind == session.RowTripEnd {
		return r.Sev == session.NoSeverity && (w.snap.Name(r.Method) == "eof" || w.snap.Name(r.Method) == "client")
	}
	return row == first || isAnswer(r) && r.Pair == first
}

// inLine reports whether the line of another row, of its exchange or of another stream's
// end, stands for a row, which belongs to a round trip.
func (w *foldWork) inLine(row, trip uint32) bool {
	r := w.snap.Row(row)
	if told := isMessage(r) && r.Kind != session.RowRequest && w.folds.pairs; !isEnd(w.snap, r) && !told && (!isAnswer(r) || trip == session.NoRow) {
		return false
	}
	head := headOf(w.snap, row, true)
	return head != session.NoRow && head != row && w.snap.Row(head).Kind != session.RowTrip && w.away(head)
}

// away reports whether the rows of a head are folded away. Those whose head the filter
// hides are shown: there is no line to unfold them.
func (w *foldWork) away(head uint32) bool {
	if !w.folds.folded(w.snap, head) {
		return false
	}
	_, shown := slices.BinarySearch(w.rows, head)
	return shown
}

// restart has all rows looked at again; those shown until that is done are those before.
func (f *folds) restart() {
	f.stop()
	f.next = 0
}

// goBack takes off the rows from n on.
func (f *folds) goBack(n uint32, rows []uint32) {
	f.stop()
	f.rows = upTo(f.rows, n)
	f.next = min(f.next, len(rows))
}
