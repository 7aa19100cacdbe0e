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
		if r.Substitutes() {
			return
		}
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
	if !timeOfPeers(req, r) {
		return
	}
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

// counts are the counters of a session up to one of its rows.
type counts struct {
	totals Totals // totals lack what depends on time: Late, Lost, and the lost part of Pending.
	alive  []connCounts
}

// connCounts are the counters of a connection.
type connCounts struct {
	conn   uint16
	index  int // index is its index among the connections.
	first  [3]int64
	last   [3]int64
	frames [3]int64
	bytes  [3]int64
	gaps   [3]bool

	trips                  int64
	openTrips, openStreams int
}

func (t *counts) clone() counts { return counts{t.totals, slices.Clone(t.alive)} }

// forget drops the connections that ended before n rows: their last state is
// known.
func (t *counts) forget(h *History, n uint32) {
	t.alive = slices.DeleteFunc(t.alive, func(c connCounts) bool {
		over := h.overIndex(int(c.conn))
		return over >= 0 && h.overs[over].Rows < n
	})
}

// of returns the counters of a connection, nil if there are too many.
func (t *counts) of(h *History, conn uint16) *connCounts {
	for i := len(t.alive) - 1; i >= 0; i-- {
		if t.alive[i].conn == conn {
			return &t.alive[i]
		}
	}
	index := h.connIndex(int(conn))
	if len(t.alive) == mostAlive || index < 0 {
		return nil
	}
	t.alive = append(t.alive, connCounts{conn: conn, index: index, first: [3]int64{-1, -1, -1}, last: [3]int64{-1, -1, -1}})
	return &t.alive[len(t.alive)-1]
}

// add counts row i.
func (t *counts) add(h *History, i uint32, r *Row) {
	c := t.of(h, r.Conn)
	switch r.Kind {
	case RowIO, RowProc:
		return
	case RowTrip, RowTripResponse, RowTripEnd:
		if c != nil {
			c.trip(r, h.whole.TripRow(i))
		}
		return
	case RowGap:
		if h.whole.Name(r.Target) != "damage" {
			t.totals.Gap += int64(r.Len)
		}
		t.totals.Damaged += int64(r.Skip)
		switch {
		case c == nil:
		case r.Flags&FlagAnyStream != 0:
			c.gaps = [3]bool{true, true, true}
		case r.Stream <= Stderr:
			c.gaps[r.Stream] = true
		}
		return
	case RowRequest:
		if r.Substitutes() {
			break
		}
		t.totals.Exchanges++
		t.totals.Pending++
		if r.Way == WayOut {
			t.totals.Outstanding++
		}
	case RowResult, RowError:
		t.answer(h, i, r)
	case RowNotification:
		if r.Pair < i && to(h.cancels, r.Pair) == i {
			t.totals.Pending--
			t.totals.Cancelled++
		}
	}
	t.frame(c, r)
}

// trip counts a row of a round trip, whose request's head is row req.
func (c *connCounts) trip(r *Row, req uint32) {
	switch {
	case r.Kind == RowTrip:
		c.trips++
		c.openTrips++
	case r.Kind == RowTripEnd:
		c.openTrips--
		c.openStreams--
	case r.Pair == req:
		c.openTrips--
	default:
		c.openStreams++
	}
}

// answer counts a response to a request that waited, or was cancelled.
func (t *counts) answer(h *History, i uint32, r *Row) {
	req, ok := h.answers(i, r)
	if !ok {
		return
	}
	if req.Flags&FlagCancelled != 0 && to(h.cancels, r.Pair) < i {
		t.totals.Cancelled--
	} else {
		t.totals.Pending--
	}
	if r.Failed() {
		t.totals.Errors++
	}
	if req.Way == WayOut {
		t.totals.Outstanding--
	}
}

// frame counts the frame of a row.
func (t *counts) frame(c *connCounts, r *Row) {
	if r.Stream > Stderr {
		return
	}
	n := int64(r.Len)
	if r.Flags&FlagUnterminated == 0 {
		n++
	}
	t.totals.Frames[r.Stream]++
	if r.Flags&FlagDecided != 0 && r.Way == WayIn {
		t.totals.Decided++
	}
	t.totals.Bytes[r.Stream] += n
	if c == nil {
		return
	}
	if c.first[r.Stream] < 0 {
		c.first[r.Stream] = r.begin()
	}
	c.last[r.Stream] = r.T
	c.frames[r.Stream]++
	c.bytes[r.Stream] += n
}

// begin returns when the row came, in nanoseconds: for a frame that came in
// pieces, its first piece.
func (r *Row) begin() int64 {
	if r.Flags&FlagRaw == 0 {
		return r.T
	}
	return max(0, r.T-int64(r.Dur)*1000)
}
