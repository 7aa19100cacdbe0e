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
