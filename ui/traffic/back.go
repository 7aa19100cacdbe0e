package traffic

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/pane"
)

// farBack is by how many rows the session may go back for the list to be mended; where
// it goes further, and there is a filter, all rows are judged again.
const farBack = 16 << 10

// back takes rows off the list where the snapshot is of an earlier moment than the one
// before. They are shown as they were then, not as they have become since: with a
// filter they are judged again.
func (p *Pane) back(c *pane.Context) tea.Cmd {
	last := p.last
	p.last = c.Snap
	n := uint32(c.Snap.Len())
	p.there = upTo(p.noted, n)
	if last == nil || n >= uint32(last.Len()) {
		return nil
	}
	p.halt()
	if p.row != session.NoRow && p.row >= n {
		p.row = max(1, n) - 1
	}
	p.scan.goBack(c.Snap, last)
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

// goBack takes off the rows that a snapshot does not have, and notes those that have
// to be judged again.
func (s *scan) goBack(snap, last *session.Snapshot) {
	n, next := uint32(snap.Len()), s.next
	a, b := snap.Totals(), last.Totals()
	if s.filter != nil && (a.Findings != b.Findings || a.Repeats != b.Repeats || next > n && next-n > farBack) {
		s.restart(s.filter)
		return
	}
	s.rows, s.next = upTo(s.rows, n), min(next, n)
	s.back = s.busy
	s.unsure.open = slices.DeleteFunc(s.unsure.open, func(o open) bool { return o.row >= n })
	if s.filter == nil {
		return
	}
	s.redo = slices.DeleteFunc(s.redo, func(row uint32) bool { return row >= n })
	for i := n; i < min(next, uint32(last.Len())); i++ {
		if pair := last.Row(i).Pair; pair < n {
			s.redo = append(s.redo, pair)
		}
	}
	if !s.busy {
		for _, row := range s.redo {
			s.unsure.add(open{row: row})
		}
		s.unsure.lasts = s.unsure.lasts[:min(len(s.unsure.lasts), len(snap.Findings()))]
		s.redo = nil
	}
}

// retake takes from the answer of a command what the session had before it went back:
// nothing of what is new, and what was turned is to be judged again.
func (s *scan) retake(msg *scanned) {
	rows := s.redo
	for _, t := range msg.turned {
		rows = append(rows, t.row)
	}
	kept := msg.unsure.open
	msg.rows, msg.turned, msg.next = nil, nil, s.next
	msg.unsure = unsure{}
	for _, o := range kept {
		if o.row < s.next {
			msg.unsure.open = append(msg.unsure.open, o)
		}
	}
	for _, row := range rows {
		if row < s.next {
			msg.unsure.add(open{row: row})
		}
	}
	s.back, s.redo = false, nil
}
