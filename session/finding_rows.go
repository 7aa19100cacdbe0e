package session

// FindingRows returns the rows at which finding i was reported, in the order of
// the reports, one for each report and at most limit. Its cost grows with the
// number of reports: it is meant for one selected finding.
func (s *Snapshot) FindingRows(i, limit int) []uint32 {
	var rows []uint32
	for _, m := range s.marks {
		if len(rows) >= limit {
			break
		}
		if int(m.finding) == i && m.row < s.n {
			rows = append(rows, m.row)
		}
	}
	return rows
}

// A RowSet is a set of rows, or of other small numbers, with a bit for each. The
// nil RowSet is empty.
type RowSet []uint64

func newRowSet(n int) RowSet { return make(RowSet, (n+63)/64) }

func (r RowSet) add(i uint32) { r[i/64] |= 1 << (i % 64) }

// Has reports whether row i is in the set.
func (r RowSet) Has(i uint32) bool { return int(i>>6) < len(r) && r[i>>6]&(1<<(i&63)) != 0 }

// RowsWhere returns the rows of the findings for which counts is true. Its cost
// grows with the number of reports.
func (s *Snapshot) RowsWhere(counts func(f *Finding) bool) RowSet {
	set := newRowSet(int(s.n))
	which := make([]bool, len(s.findings))
	for i := range s.findings {
		which[i] = counts(&s.findings[i])
	}
	for _, m := range s.marks {
		if m.row < s.n && int(m.finding) < len(which) && which[m.finding] {
			set.add(m.row)
		}
	}
	return set
}

// NamesWhere returns the numbers of the interned names for which matches is true.
// A row without a name does not match.
func (s *Snapshot) NamesWhere(matches func(name string) bool) RowSet {
	set := newRowSet(len(s.names))
	for i, name := range s.names {
		if i != int(noName) && matches(name) {
			set.add(uint32(i))
		}
	}
	return set
}
