package session

import "slices"

// MaxFindings is how many distinct findings a session keeps; what comes after
// them is counted.
const MaxFindings = 10_000

// maxMarks bounds the list of rows at which findings stand.
const maxMarks = 1 << 20

// A mark says that a finding stands at a row.
type mark struct{ row, finding uint32 }

type findingKey struct {
	rule  string
	conn  int
	fault Fault
	key   string
}

// findings holds what the checkers reported, merged.
type findings struct {
	list   []Finding
	index  map[findingKey]int
	marks  []mark // marks only grows.
	shared []Finding
	dirty  bool // dirty: list is newer than shared
}

// report files f. The totals are counted in t, and the row it stands at gets its
// severity.
func (a *Analyzer) report(f Finding) {
	fs := &a.findings
	if f.N == 0 && f.Row != NoRow {
		f.N = uint64(a.store.at(f.Row).N)
	}
	k := findingKey{f.Rule, f.Conn, f.Fault, f.Key}
	i, known := fs.index[k]
	switch {
	case known:
		g := &fs.list[i]
		g.Count++
		g.Last = f.Row
		if f.Severity > g.Severity {
			a.totals.Findings[g.Severity]--
			a.totals.Findings[f.Severity]++
			g.Severity = f.Severity
		}
		a.totals.Repeats++
	case len(fs.list) >= MaxFindings:
		a.totals.Dropped++
		i = -1
	default:
		f.Count, f.Last = 1, f.Row
		i = len(fs.list)
		if fs.index == nil {
			fs.index = make(map[findingKey]int)
		}
		fs.index[k] = i
		fs.list = append(fs.list, f)
		a.totals.Findings[f.Severity]++
	}
	fs.dirty = true
	a.markRow(f.Row, f.Severity, i)
}

func (a *Analyzer) markRow(row uint32, sev Severity, finding int) {
	if row >= a.store.n {
		return
	}
	if a.store.at(row).Sev < sev {
		a.store.edit(row).Sev = sev
	}
	if finding >= 0 && len(a.findings.marks) < maxMarks {
		a.findings.marks = append(a.findings.marks, mark{row, uint32(finding)})
	}
}

// published returns the findings for a snapshot.
func (fs *findings) published() []Finding {
	if fs.dirty {
		fs.shared = slices.Clone(fs.list)
		fs.dirty = false
	}
	return fs.shared
}
