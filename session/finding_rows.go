package session

// FindingRows returns the rows at which finding i was reported, in the order of
// the reports, a row once for each and at most limit. Its cost grows with the
// number of reports: it is for the one finding that is looked at.
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

// A RowSet is a set of rows, a bit for each. The nil RowSet is empty.
type RowSet []uint64

// Has reports whether row i is in the set.
func (r RowSet) Has(i uint32) bool { return int(i>>6) < len(r) && r[i>>6]&(1<<(i&63)) != 0 }

// RowsWhere returns the rows at which a finding stands that counts. Its cost grows
// with the number of reports.
func (s *Snapshot) RowsWhere(counts func(f *Finding) bool) RowSet {
	set := make(RowSet, (s.n+63)>>6)
	which := make([]bool, len(s.findings))
	for i := range s.findings {
		which[i] = counts(&s.findings[i])
	}
	for _, m := range s.marks {
		if m.row < s.n && int(m.finding) < len(which) && which[m.finding] {
			set[m.row>>6] |= 1 << (m.row & 63)
		}
	}
	return set
}
