package traffic

import (
	"slices"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/pane"
)

// farBack is of how many rows those that are listed under a filter stay in sight, while they
// are judged again, when the session goes back.
const farBack = 16 << 10

// back takes rows off the list where the snapshot is of an earlier moment than the one
// before. They are shown as they were then, not as they have become since: with a
// filter they are judged again.
func (p *Pane) back(c *pane.Context) tea.Cmd {
	last := p.last
	p.last = c.Snap
	n := uint32(c.Snap.Len())
	p.there = upTo(p.noted, n)
	if last == nil || n >= uint32(last.Len()) && c.Snap.Clock() >= last.Clock() {
		return nil
	}
	p.halt()
	if p.row != session.NoRow && p.row >= n {
		p.row = max(1, n) - 1
	}
	p.scan.goBack(n)
	if p.base != session.NoRow {
		p.base = min(p.base, n)
	}
	p.folds.goBack(n, p.scan.rows)
	s := &p.search
	switch { // Hits that have not come yet are forgotten; a search under way begins again.
	case s.filter == nil:
		return nil
	case s.running():
		return p.searchAnew(c)
	}
	s.hits = upTo(s.hits, n)
	s.growing = slices.DeleteFunc(s.growing, func(row uint32) bool { return row >= n })
	s.to = min(s.to, n)
	return nil
}

// goBack takes off the rows from n on, and has those that stay judged again.
func (s *scan) goBack(n uint32) {
	if s.filter != nil && n > farBack {
		s.restart(s.filter)
		return
	}
	if s.cancel != nil {
		s.cancel.Store(true)
	}
	s.cancel, s.busy = new(atomic.Bool), false
	s.rows, s.next, s.unsure = upTo(s.rows, n), min(s.next, n), unsure{}
	for i := range s.next {
		if s.filter != nil {
			s.unsure.add(open{row: i})
		}
	}
}
