package detail

import (
	"wiretea/session"
)

// marks are the findings of the row and of its pair.
type marks struct {
	row, pair uint32
	totals    session.Totals
	own       []session.Finding // own are the row's, other those of its pair.
	other     []session.Finding
}

// look gathers the findings again where something may have changed: that costs as
// much as there are reports in the session.
func (m *marks) look(s *session.Snapshot, sub *subject) {
	pair := session.NoRow
	switch sub.row {
	case sub.req:
		pair = sub.resp
	case sub.resp:
		pair = sub.req
	}
	if sub.r.Kind == session.RowTrip && sub.r.Pair < uint32(s.Len()) {
		pair = sub.r.Pair
	}
	t := s.Totals()
	same := t.Findings == m.totals.Findings && t.Repeats == m.totals.Repeats
	if same && sub.row == m.row && pair == m.pair {
		return
	}
	*m = marks{row: sub.row, pair: pair, totals: t}
	if sub.row != session.NoRow {
		m.own = s.RowFindings(sub.row)
	}
	if pair != session.NoRow {
		m.other = s.RowFindings(pair)
	}
}

func (m *marks) count() int { return len(m.own) + len(m.other) }
