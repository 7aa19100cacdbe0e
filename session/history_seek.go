package session

import "sort"

// Positions in a History that a user can go to.

// Ends reports whether row i ends an operation: it is the last row of one, or
// the response of an exchange without an operation.
func (h *History) Ends(i uint32) bool {
	if i >= h.whole.n {
		return false
	}
	r := h.whole.raw(i)
	if r.Kind != RowResult && r.Kind != RowError {
		return false
	}
	if r.Op != 0 && r.Op < uint32(len(h.ops)) {
		return h.ops[r.Op] == i
	}
	_, ok := h.answers(i, r)
	return ok
}

// Finding returns the moment of the next report of a finding after a moment, or
// with dir below 0 of the last before it, and its row, NoRow for none. It
// reports false if there is none.
func (h *History) Finding(n uint32, clock int64, dir int) (rows uint32, at int64, row uint32, ok bool) {
	marks := h.whole.marks
	later := func(k int) bool { return marks[k].at > n || marks[k].at == n && marks[k].t > clock }
	k := sort.Search(len(marks), later)
	if dir < 0 {
		// The reports of this moment are the current position.
		now := h.moment(n, clock)
		for k--; k >= 0 && !h.moment(marks[k].at, marks[k].t).before(now); k-- {
		}
	}
	if k < 0 || k >= len(marks) {
		return 0, 0, NoRow, false
	}
	m := h.moment(marks[k].at, marks[k].t)
	return m.n, m.clock, marks[k].row, true
}

// A moment is a number of rows and a time.
type moment struct {
	n     uint32
	clock int64
}

// moment returns the moment of n rows that is not before any of them.
func (h *History) moment(n uint32, clock int64) moment {
	n = min(n, h.whole.n)
	return moment{n, max(clock, h.TimeAt(n))}
}

func (m moment) before(o moment) bool { return m.n < o.n || m.n == o.n && m.clock < o.clock }
