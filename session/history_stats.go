package session

import (
	"slices"
	"sort"
)

// cumulative is what At keeps for its next call: state that is too large to be
// stored for many rows is moved from one to the next.
type cumulative struct {
	n     uint32 // n is how many rows are counted in list.
	keys  map[statsKey]int
	list  []methodStat // list is by the indexes of Snapshot.Methods.
	mark  uint32       // mark is how many reports are counted in the following.
	count []int        // count are the reports of each finding.
	last  []uint32     // last is the latest mark of each, noMark = none.
}

func (run *cumulative) reset(h *History) {
	if run.keys == nil {
		run.keys = make(map[statsKey]int)
		run.count, run.last = make([]int, len(h.whole.findings)), make([]uint32, len(h.whole.findings))
		for i := range run.last {
			run.last[i] = noMark
		}
	}
	run.n = 0
	run.list = make([]methodStat, len(h.whole.methods))
	for i, m := range h.whole.methods {
		run.list[i].MethodStats = MethodStats{Name: m.Name, Sender: m.Sender}
	}
}

// move counts up, or down, to a snapshot of the past.
func (run *cumulative) move(h *History, s *Snapshot) {
	if run.n > s.n && run.n-s.n > s.n {
		run.reset(h)
	}
	for ; run.n < s.n; run.n++ {
		run.row(h, run.n, 1)
	}
	for run.n > s.n {
		run.n--
		run.row(h, run.n, -1)
	}
	marks := h.whole.marks
	goal := sort.Search(len(marks), func(k int) bool { return marks[k].at > s.n })
	for goal > 0 && marks[goal-1].at == s.n && marks[goal-1].t > s.clock {
		goal-- // A report between two rows counts from its time on.
	}
	for ; int(run.mark) < goal; run.mark++ {
		if f := int(marks[run.mark].finding); f < len(run.last) {
			run.count[f]++
			run.last[f] = run.mark
		}
	}
	for int(run.mark) > goal {
		run.mark--
		if f := int(marks[run.mark].finding); f < len(run.last) {
			run.count[f]--
			run.last[f] = h.before[run.mark]
		}
	}
}

// of returns the index of a method and its sender in list, -1 if it has none.
func (run *cumulative) of(h *History, k statsKey) int {
	i, known := run.keys[k]
	if !known {
		at := func(name string) int {
			return slices.IndexFunc(h.whole.methods, func(m MethodStats) bool { return m.Name == name && m.Sender == k.sender })
		}
		if i = at(h.whole.Name(k.method)); i < 0 {
			i = at("…")
		}
		run.keys[k] = i
	}
	return i
}

// stat returns the statistics of a request; unused ones if it has none.
func (run *cumulative) stat(h *History, r *Row) *methodStat {
	if i := run.of(h, statsKey{r.Method, r.Stream}); i >= 0 {
		return &run.list[i]
	}
	return &methodStat{}
}

// row counts row i, or with sign -1 removes it.
func (run *cumulative) row(h *History, i uint32, sign int64) {
	r := h.whole.raw(i)
	switch r.Kind {
	case RowRequest:
		m := run.stat(h, r)
		m.Count += sign
		m.Pending += sign
		m.BytesOut += sign * int64(r.Len)
	case RowNotification:
		if r.Pair < i && to(h.cancels, r.Pair) == i {
			m := run.stat(h, h.whole.raw(r.Pair))
			m.Pending -= sign
			m.Cancelled += sign
		}
	case RowResult, RowError:
		run.answer(h, i, r, sign)
	}
}

func (run *cumulative) answer(h *History, i uint32, r *Row, sign int64) {
	req, ok := h.answers(i, r)
	if !ok {
		return
	}
	m := run.stat(h, req)
	if req.Flags&FlagCancelled != 0 && to(h.cancels, r.Pair) < i {
		m.Cancelled -= sign
	} else {
		m.Pending -= sign
	}
	if r.Failed() {
		m.Errors += sign
	}
	m.BytesIn += sign * int64(r.Len)
	m.hist.add(r.T-req.T, sign)
	m.dirty = true
}

// methods returns the statistics by method.
func (run *cumulative) methods(h *History, s *Snapshot) []MethodStats {
	lost := make(map[int]int64)
	for i := range h.overs {
		if !s.past.over(i, s.n) {
			continue
		}
		for _, row := range h.lost[i] {
			r := h.whole.raw(row)
			lost[run.of(h, statsKey{r.Method, r.Stream})]++
		}
	}
	out := []MethodStats{}
	for i := range run.list {
		m := &run.list[i]
		if m.dirty {
			m.Max = topAt(h.tops[i], s.n)
			m.percentiles()
		}
		if m.Count > 0 {
			now := m.MethodStats
			now.Pending -= lost[i]
			out = append(out, now)
		}
	}
	return out
}

// topAt returns the longest latency before row n, 0 if there is none.
func topAt(list []top, n uint32) int64 {
	at := sort.Search(len(list), func(i int) bool { return list[i].row >= n })
	if at == 0 {
		return 0
	}
	return list[at-1].max
}

// published returns the findings, and counts them in t.
func (run *cumulative) published(h *History, t *Totals) []Finding {
	var out []Finding
	for i := range run.count {
		if run.count[i] == 0 {
			break // They are in the order of their first report.
		}
		f := h.whole.findings[i]
		f.Count, f.Last = run.count[i], h.whole.marks[run.last[i]].row
		out = append(out, f)
		t.Repeats += int64(f.Count - 1)
	}
	for _, r := range slices.Backward(h.rises) {
		if r.mark >= run.mark && r.finding < len(out) {
			out[r.finding].Severity = r.was
		}
	}
	for i := range out {
		t.Findings[min(out[i].Severity, Error)]++
	}
	return out
}
