package session

import "sort"

// What a person goes to in a History.

// Ends reports whether row i is where an operation ends: the last row of one, or the
// answer of an exchange that is part of none.
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

// Finding returns when something was found next after a moment, or with dir below 0
// the last before it, and at which row, NoRow for none. It reports false where nothing
// was.
func (h *History) Finding(n uint32, clock int64, dir int) (rows uint32, at int64, row uint32, ok bool) {
	marks := h.whole.marks
	later := func(k int) bool { return marks[k].at > n || marks[k].at == n && marks[k].t > clock }
	k := sort.Search(len(marks), later)
	if dir < 0 {
		// The reports of this very moment are where one stands.
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

// A moment is so many rows at a time.
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
