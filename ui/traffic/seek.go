package traffic

import (
	"slices"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/pane"
)

// A seek looks in the list for the next row of some kind. A few thousand rows
// are looked at inline, more in a command. One runs at a time: a new one, or a
// move of the cursor, ends it.
type seek struct {
	cancel *atomic.Bool // cancel ends the command under way; nil = there is none.
}

// A quest says what is looked for.
type quest struct {
	is    func(s *session.Snapshot, i uint32) bool
	dir   int
	wrap  bool   // wrap goes on at the other end.
	until uint32 // until is the last row that is looked at; NoRow = all.
	none  string // none is said when there is none.
}

// sought is the result of a seek.
type sought struct {
	row     uint32
	found   bool
	wrapped bool
	quest   quest
}

// stop ends the seek that is under way.
func (s *seek) stop() {
	if s.cancel != nil {
		s.cancel.Store(true)
		s.cancel = nil
	}
}

// seekRow goes to the next row in the list that is what is looked for.
func (p *Pane) seekRow(c *pane.Context, q quest) tea.Cmd {
	p.seek.stop()
	list := p.found()
	at, found := slices.BinarySearch(list, p.row)
	if !found && q.dir > 0 {
		at--
	}
	w := seekWork{list: list, at: at, quest: q, snap: c.Snap}
	out := sought{quest: q}
	if next := w.look(1, inline, &out); next > w.last() || out.found {
		return p.takeSought(c, out)
	}
	cancel := new(atomic.Bool)
	p.seek.cancel = cancel
	return pane.Work(p, func() pane.Then {
		for k := inline; k <= w.last() && !out.found; k += stretch {
			if cancel.Load() {
				return nil
			}
			w.look(k, k+stretch, &out)
		}
		return func(c *pane.Context) tea.Cmd {
			if p.seek.cancel != cancel {
				return nil
			}
			return p.takeSought(c, out)
		}
	})
}

// takeSought goes to what was found.
func (p *Pane) takeSought(c *pane.Context, msg sought) tea.Cmd {
	p.seek.cancel = nil
	if !msg.found {
		return pane.Notify(msg.quest.none)
	}
	return p.arrive(c, msg.row, msg.quest.dir, msg.wrapped)
}

// seekWork looks at the k-th row from the cursor, k from 1 on.
type seekWork struct {
	list  []uint32
	at    int
	quest quest
	snap  *session.Snapshot
}

// last is the greatest k.
func (w *seekWork) last() int {
	switch {
	case w.quest.wrap:
		return len(w.list)
	case w.quest.dir > 0:
		return len(w.list) - 1 - w.at
	}
	return w.at
}

// look looks at the rows from the k-th up to but without the end-th, and returns
// the next k.
func (w *seekWork) look(k, end int, out *sought) int {
	n := len(w.list)
	for ; k < end && k <= w.last(); k++ {
		pos := w.at + k*w.quest.dir
		wrapped := pos < 0 || pos >= n
		row := w.list[((pos%n)+n)%n]
		if past := int64(row) - int64(w.quest.until); w.quest.until != session.NoRow && past*int64(w.quest.dir) > 0 {
			return w.last() + 1
		}
		if w.quest.is(w.snap, row) {
			out.row, out.found, out.wrapped = row, true, wrapped
			return k + 1
		}
	}
	return k
}

// nextFinding goes to the next row at which something was found, by a rule that was
// not silenced, or that says that its request failed.
func (p *Pane) nextFinding(c *pane.Context, dir int) tea.Cmd {
	return p.seekRow(c, quest{dir: dir, wrap: true, until: session.NoRow, none: "no finding and no error in the rows shown", is: isFound(c.Silenced)})
}

// nextOfOperation goes to the next frame of the operation: of all exchanges that
// belong together, or of the one exchange, with what was notified about it.
func (p *Pane) nextOfOperation(c *pane.Context, dir int) tea.Cmd {
	req, op := operation(c.Snap, p.row)
	q := quest{dir: dir, until: session.NoRow, none: "the last frame of the operation"}
	if dir < 0 {
		q.none = "the first frame of the operation"
	}
	switch resp := c.Snap.Row(req).Pair; {
	case op != 0:
	case dir < 0:
		q.until = req
	case resp != session.NoRow:
		q.until = resp
	}
	q.is = func(s *session.Snapshot, i uint32) bool {
		r, o := operation(s, i)
		return r == req && req != session.NoRow || op != 0 && o == op
	}
	return p.seekRow(c, q)
}

// operation returns the request that row i belongs to, NoRow for none, and the
// number of its operation, 0 for none.
func operation(s *session.Snapshot, i uint32) (req, op uint32) {
	r := s.Row(i)
	req = session.NoRow
	switch r.Kind {
	case session.RowRequest:
		req = i
	case session.RowResult, session.RowError, session.RowNotification:
		req = r.Pair
	}
	if op = r.Op; op == 0 && req != session.NoRow {
		op = s.Row(req).Op
	}
	return req, op
}
