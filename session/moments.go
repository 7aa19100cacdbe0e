package session

import (
	"cmp"
	"sort"
)

// begun returns when the latest of the first n rows came, in nanoseconds: of a frame that
// came in pieces, the first piece.
func (s *Snapshot) begun(n uint32) (t int64) {
	for i := min(n, s.n); i > 0; i-- {
		r := s.Peek(i - 1)
		if r.Flags&FlagRaw == 0 {
			return max(t, r.T) // Those before it came before.
		}
		t = max(t, r.T-int64(r.Dur)*1000)
	}
	return t
}

// TimeAt returns the session's time when n rows had come: that of the latest, in
// nanoseconds. It is 0 for 0 rows.
func (s *Snapshot) TimeAt(n uint32) int64 {
	n = min(n, s.n)
	t := s.begun(n)
	if n == 0 {
		return t
	}
	// A frame in pieces is complete if nothing else came meanwhile.
	if end := s.Peek(n - 1).T; n == s.n || s.begun(n+1) >= end {
		t = max(t, end)
	}
	return t
}

// RowsAt returns how many rows had come at time t.
func (s *Snapshot) RowsAt(t int64) uint32 {
	return uint32(sort.Search(s.Len(), func(i int) bool { return s.begun(uint32(i)+1) > t }))
}

// Reported returns the moment of the next report of a finding after a moment, or with dir
// below 0 of the last one before it: how many rows there were, and the time. row is its row,
// NoRow for none. Reported is false if there is no such report.
func (s *Snapshot) Reported(n uint32, clock int64, dir int) (rows uint32, at int64, row uint32, ok bool) {
	// A report may speak of a time before the row with which it came.
	order := func(m mark) int { return cmp.Or(cmp.Compare(m.at, n), cmp.Compare(max(m.t, s.TimeAt(m.at)), clock)) }
	k := sort.Search(len(s.marks), func(k int) bool { return order(s.marks[k]) > 0 })
	if dir < 0 {
		// The reports of this moment are the current position.
		for k--; k >= 0 && order(s.marks[k]) == 0; k-- {
		}
	}
	if k < 0 || k >= len(s.marks) {
		return 0, 0, NoRow, false
	}
	m := s.marks[k]
	return m.at, max(m.t, s.TimeAt(m.at)), m.row, true
}

// OperationEnds returns the rows that end an operation, in ascending order: the last row of
// one, where that is a response, and the response of an exchange without an operation.
func (s *Snapshot) OperationEnds() []uint32 {
	last := make(map[uint32]uint32)
	for i := range s.n {
		last[s.Peek(i).Op] = i
	}
	var ends []uint32
	for i := range s.n {
		r := s.Peek(i)
		if r.Kind != RowResult && r.Kind != RowError {
			continue
		}
		if r.Op != 0 && last[r.Op] == i || r.Op == 0 && r.Pair < i && s.Peek(r.Pair).Pair == i {
			ends = append(ends, i)
		}
	}
	return ends
}
