package traffic

import (
	"maps"
	"slices"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/pane"
)

// folds say which round trips of HTTP are folded: of those the line of the request
// stands alone, and their other rows are not shown. What is searched, sought and
// counted are the rows with those that are folded away; what is gone to is unfolded.
type folds struct {
	all    bool            // all: every round trip is folded, except those of turned.
	turned map[uint32]bool // turned are the requests' rows that are the other way; never written to.

	rows   []uint32     // rows are those shown, ascending; nothing while no round trip is folded.
	next   int          // next is how many of the rows that the filter leaves are in it or folded away.
	cancel *atomic.Bool // cancel ends the command under way, and tells its answer from those to earlier ones; nil = there is none.
}

// active reports whether anything may be folded.
func (f *folds) active() bool { return f.all || len(f.turned) > 0 }

// folded reports whether the round trip of a request's row is folded.
func (f *folds) folded(trip uint32) bool { return f.all != f.turned[trip] }

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
	if !p.only && p.folds.active() {
		return p.folds.rows
	}
	return p.found()
}

// toggleFold folds the round trip of the selected row, or unfolds it.
func (p *Pane) toggleFold(c *pane.Context) tea.Cmd {
	p.halt()
	p.unfollow()
	p.row = c.Snap.TripRow(p.Cursor())
	return p.turnFold(c, p.row)
}

// turnFold turns one round trip.
func (p *Pane) turnFold(c *pane.Context, trip uint32) tea.Cmd {
	turned := maps.Clone(p.folds.turned)
	if turned == nil {
		turned = map[uint32]bool{}
	}
	if turned[trip] = !turned[trip]; !turned[trip] {
		delete(turned, trip)
	}
	p.folds.turned = turned
	return p.refold(c)
}

// toggleFolds folds all round trips, or unfolds them where they are.
func (p *Pane) toggleFolds(c *pane.Context) tea.Cmd {
	p.halt()
	if trip := c.Snap.TripRow(p.row); !p.folds.all && trip != session.NoRow && !p.follow {
		p.row = trip
	}
	p.folds.all, p.folds.turned = !p.folds.all, nil
	return p.refold(c)
}

// noFold says why the selected row cannot be folded.
func (p *Pane) noFold(c *pane.Context) string {
	trip := c.Snap.TripRow(p.Cursor())
	if trip == session.NoRow {
		return "the row is not part of an HTTP round trip"
	}
	if _, shown := slices.BinarySearch(p.list(), trip); !shown {
		return "the filter hides the HTTP request that it belongs to"
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

// reveal unfolds the round trip that a row is folded away in.
func (p *Pane) reveal(c *pane.Context, row uint32) tea.Cmd {
	trip := c.Snap.TripRow(row)
	if p.only || trip == row || trip == session.NoRow || !p.folds.folded(trip) {
		return nil
	}
	if _, shown := slices.BinarySearch(p.list(), row); shown {
		return nil // Its request is not in the list.
	}
	return p.turnFold(c, trip)
}

// refold finds anew what folds leave. The rows shown meanwhile are those before.
func (p *Pane) refold(c *pane.Context) tea.Cmd {
	f := &p.folds
	f.stop()
	if !f.active() {
		p.swap(c, nil)
		f.next = 0
		return p.load(c)
	}
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
	if !f.active() || f.cancel != nil || f.next == len(p.scan.rows) && (f.next > 0 || len(f.rows) == 0) {
		return nil
	}
	return p.foldOn(c, f.next)
}

// foldOn finds what folds leave of the rows from the from-th on: of a few thousand at
// once, of more in a command.
func (p *Pane) foldOn(c *pane.Context, from int) tea.Cmd {
	f := &p.folds
	w := foldWork{snap: c.Snap, rows: p.scan.rows, from: from, all: f.all, turned: f.turned}
	if len(w.rows)-from <= stretch {
		p.takeFolds(c, from, w.run(), len(w.rows))
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
			p.takeFolds(c, from, rows, len(w.rows))
			return tea.Batch(p.extendFolds(c), p.goOn(c))
		}
	})
}

// takeFolds takes what folds leave of the rows between two places.
func (p *Pane) takeFolds(c *pane.Context, from int, rows []uint32, to int) {
	if p.folds.next = to; from == 0 {
		p.swap(c, rows)
		return
	}
	p.folds.rows = append(p.folds.rows, rows...)
	p.settle(c)
}

// swap replaces the rows shown, and keeps the cursor's line where it is on the screen.
func (p *Pane) swap(c *pane.Context, rows []uint32) {
	line := p.at - p.top
	p.folds.rows = rows
	p.settle(c)
	if p.top != centre && p.at >= 0 {
		p.top = max(0, p.at-line)
	}
}

// foldWork is what a command needs to fold rows.
type foldWork struct {
	snap   *session.Snapshot
	rows   []uint32 // rows are those that the filter leaves.
	from   int
	all    bool
	turned map[uint32]bool
	cancel *atomic.Bool // cancel is nil where it cannot be cancelled.
}

// run returns what is shown of the rows. Rows of a round trip whose request the filter
// hides are shown: there is no line to unfold them.
func (w *foldWork) run() []uint32 {
	var out []uint32
	f := folds{all: w.all, turned: w.turned}
	last, hides := session.NoRow, false // last is the round trip looked at last, and whether it hides its rows.
	for k := w.from; k < len(w.rows); k++ {
		if k%stretch == 0 && w.cancel != nil && w.cancel.Load() {
			return nil
		}
		row := w.rows[k]
		trip := w.snap.TripRow(row)
		if trip != last {
			last, hides = trip, false
			if trip != session.NoRow && f.folded(trip) {
				_, hides = slices.BinarySearch(w.rows, trip)
			}
		}
		if row == trip || !hides {
			out = append(out, row)
		}
	}
	return out
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
