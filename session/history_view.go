package session

import (
	"cmp"
	"slices"
	"sort"
)

// historyView hides from a snapshot of the past what came later in the rows it
// shares.
type historyView struct {
	h     *History
	clock int64
}

// raw returns row i, which must exist, as at the end of the session.
func (s *Snapshot) raw(i uint32) *Row { return &s.chunks[i>>chunkBits][i%chunkRows] }

// TimeAt returns the session's time when n rows had come: that of the latest,
// in nanoseconds. It is 0 for 0 rows.
func (h *History) TimeAt(n uint32) int64 {
	n = min(n, h.whole.n)
	if n == 0 {
		return 0
	}
	last := n - 1
	t := h.born[last>>chunkBits]
	for i := last &^ (chunkRows - 1); i <= last; i++ {
		t = max(t, h.whole.raw(i).begin())
	}
	// A frame in pieces is complete if nothing else came meanwhile.
	if end := h.whole.raw(last).T; n == h.whole.n || h.whole.raw(n).begin() >= end {
		t = max(t, end)
	}
	return t
}

// RowsAt returns how many rows had come at time t.
func (h *History) RowsAt(t int64) uint32 {
	c := sort.Search(len(h.born), func(c int) bool { return h.born[c] > t })
	if c == 0 {
		return 0
	}
	i := uint32(c-1) << chunkBits
	for i < h.whole.n && h.whole.raw(i).begin() <= t {
		i++
	}
	return i
}

// At returns the state of the session when n rows had come and its clock was at
// clock, which is raised to that of its rows. Beyond the session's end it
// returns the whole. It costs a few thousand rows, and a pass over those
// between this call and the previous one.
func (h *History) At(n uint32, clock int64) *Snapshot {
	w := h.whole
	n = min(n, w.n)
	clock = max(clock, h.TimeAt(n))
	if n == w.n && clock >= w.clock {
		return w
	}
	s := &Snapshot{
		chunks: w.chunks, trips: w.trips, n: n, names: w.names, ids: w.ids, header: w.header, clock: clock, aparts: w.aparts,
		marked: w.marked[:sort.Search(len(w.marked), func(i int) bool { return w.marked[i] >= n })],
		past:   &historyView{h, clock},
	}
	t, open := h.state(n)
	s.totals = t.totals
	h.mu.Lock()
	h.run.move(h, s)
	s.marks, s.findings = w.marks[:h.run.mark], h.run.published(h, &s.totals)
	s.methods = h.run.methods(h, s)
	h.mu.Unlock()
	for i := range h.overs {
		if !s.past.over(i, n) {
			continue
		}
		for _, row := range h.lost[i] {
			s.totals.Lost++
			s.totals.Pending--
			if w.raw(row).Way == WayOut {
				s.totals.Outstanding--
			}
		}
	}
	s.lates = w.lates[:sort.Search(len(w.lates), func(k int) bool {
		l := &w.lates[k]
		return l.Rows > n || l.Rows == n && l.T > clock
	})]
	s.totals.Late = int64(len(s.lates))
	s.conns = h.connsAt(s, t, open)
	return s
}

// state counts up to row n.
func (h *History) state(n uint32) (counts, []waiting) {
	if len(h.sums) == 0 {
		return counts{}, nil
	}
	from := min(n/sumRows, uint32(len(h.sums)-1))
	t, open := h.sums[from].clone(), slices.Clone(h.sums[from].open)
	for i := from * sumRows; i < n; i++ {
		r := h.whole.raw(i)
		t.add(h, i, r)
		open = note(open, i, r)
	}
	return t, open
}

// over reports whether the end of a connection, by its index in overs, has come
// after n rows.
func (p *historyView) over(i int, n uint32) bool {
	t := &p.h.overs[i]
	return t.Rows < n || t.Rows == n && t.T <= p.clock
}

// row returns the state of a row.
func (p *historyView) row(s *Snapshot, i uint32) Row {
	r := *s.raw(i)
	if r.T > p.clock && r.Flags&FlagRaw != 0 {
		return Row{Off: r.Off, T: p.clock, Skip: r.Skip, Pair: NoRow, N: r.N, Conn: r.Conn, Flags: r.Flags & (FlagRaw | FlagEvent), Kind: RowGrowing, Stream: r.Stream, Way: r.Way}
	}
	if r.Pair != NoRow && r.Pair >= s.n {
		r.Pair = NoRow
	}
	const changing = FlagLate | FlagCancelled | FlagLost | FlagAsked
	if r.Flags&changing != 0 {
		p.flags(s, i, &r)
	}
	if r.Sev != NoSeverity {
		p.severity(s, i, &r)
	}
	return r
}

// flags removes flags that came later.
func (p *historyView) flags(s *Snapshot, i uint32, r *Row) {
	if r.Flags&FlagAsked != 0 && to(p.h.given, i) >= s.n {
		r.Flags = r.Flags&^FlagAsked | FlagAsks
	}
	if r.Kind != RowRequest {
		return
	}
	if k := to(p.h.lates, i); r.Flags&FlagLate != 0 && k != NoRow && int(k) >= len(s.lates) {
		r.Flags &^= FlagLate
	}
	if r.Flags&FlagCancelled != 0 && to(p.h.cancels, i) >= s.n {
		r.Flags &^= FlagCancelled
	}
	if r.Flags&FlagLost != 0 {
		if over := p.h.overIndex(int(r.Conn)); over >= 0 && !p.over(over, s.n) {
			r.Flags &^= FlagLost
		}
	}
}

// severity removes findings that were reported later.
func (p *historyView) severity(s *Snapshot, i uint32, r *Row) {
	list := p.h.belated
	at, ok := slices.BinarySearchFunc(list, i, func(l link, row uint32) int { return cmp.Compare(l.from, row) })
	if !ok {
		return
	}
	r.Sev = NoSeverity
	for ; at < len(list) && list[at].from == i; at++ {
		if int(list[at].to) < len(s.marks) {
			r.Sev = max(r.Sev, p.h.whole.marks[list[at].to].sev)
		}
	}
}

// connsAt returns the state of the connections that had begun.
func (h *History) connsAt(s *Snapshot, t counts, open []waiting) []Conn {
	var out []Conn
	seen := h.eventsAt(s)
	for i := range h.whole.conns {
		if h.firsts[i] >= s.n {
			continue
		}
		c := h.whole.conns[i]
		if over := h.overIndex(c.ID); over < 0 || !s.past.over(over, s.n) {
			h.relive(s, &c)
			if c.TripT > s.clock {
				c.TripT = 0 // When it was at that moment is not kept.
			}
			seen[c.ID].tell(&c)
			if at := slices.IndexFunc(t.alive, func(a connCounts) bool { return a.index == i }); at >= 0 {
				a := &t.alive[at]
				c.First, c.LastT, c.Frames, c.Bytes, c.Gaps = a.first, a.last, a.frames, a.bytes, a.gaps
				c.Trips, c.OpenTrips, c.OpenStreams = a.trips, a.openTrips, a.openStreams
			}
			c.Open = h.openAt(s, &c, open)
		}
		out = append(out, c)
	}
	return out
}

// relive restores a connection from its transitions.
func (h *History) relive(s *Snapshot, c *Conn) {
	var was ConnState
	for i := range h.whole.turns {
		t := &h.whole.turns[i]
		if t.Rows > s.n {
			break
		}
		if t.Conn == c.ID && (t.Rows < s.n || t.T <= s.clock) {
			was = t.ConnState
		}
	}
	c.ConnState = was
}

// events are the events of a process and its streams that had happened.
type events struct {
	failed, started, exited, stdin, stdout bool
	signals                                int
}

// eventsAt returns the events of the connections, by id.
func (h *History) eventsAt(s *Snapshot) map[int]events {
	seen := make(map[int]events)
	for _, i := range h.events {
		if i >= s.n {
			break
		}
		r := s.raw(i)
		e := seen[int(r.Conn)]
		switch word := s.Name(r.Method); {
		case r.Kind == RowProc && word == "failed":
			e.failed = true
		case r.Kind == RowProc && word == "start":
			e.started = true
		case r.Kind == RowProc && word == "exit":
			e.exited = true
		case r.Kind == RowProc && word == "signal":
			e.signals++
		case r.Kind == RowIO && r.Stream == C2S && word == "eof":
			e.stdin = true
		case r.Kind == RowIO && r.Stream == S2C && (word == "eof" || word == "closed"):
			e.stdout = true
		}
		seen[int(r.Conn)] = e
	}
	return seen
}

// tell removes from a connection what had not happened yet.
func (e events) tell(c *Conn) {
	c.Failed = c.Failed && e.failed
	if !e.started {
		c.Started, c.StartT, c.PID = false, 0, 0
	}
	if !e.exited {
		c.Exited, c.ExitT, c.ExitRow, c.ExitCode, c.ExitSig = false, 0, 0, 0, ""
	}
	if !e.stdin {
		c.StdinEOF = 0
	}
	if !e.stdout {
		c.StdoutEOF = 0
	}
	if c.Signals = c.Signals[:min(e.signals, len(c.Signals))]; e.signals == 0 {
		c.Signals = nil
	}
}

// openAt returns the waiting exchanges of a connection, the oldest OpenShown of
// each side.
func (h *History) openAt(s *Snapshot, c *Conn, open []waiting) (out [2][]*Exchange) {
	for _, w := range open {
		r := s.Row(w.row)
		if int(r.Conn) != c.ID || r.Stream > S2C || r.Kind != RowRequest || r.Pair != NoRow || r.Flags&(FlagCancelled|FlagLost) != 0 {
			continue
		}
		if list := &out[r.Stream]; len(*list) < OpenShown {
			x := &Exchange{
				Conn: c.ID, Sender: r.Stream, ID: s.ID(r), Method: s.Name(r.Method), Target: s.Name(r.Target),
				Req: w.row, ReqN: uint64(r.N), ReqT: r.T, Resp: NoRow, Late: r.Flags&FlagLate != 0,
				Era: c.Era, Version: c.Version, Way: r.Way, Operation: uint64(r.Op),
			}
			if x.Acted = r.Flags&FlagDecided != 0; x.Acted && r.Way == WayIn {
				went := s.Onward(w.row)
				if x.Kept = went == NoRow; !x.Kept {
					x.Went = max(1, s.raw(went).T)
				}
			}
			if w.notes > 0 {
				x.Progress, x.LastNote, x.LastProgress = int(w.notes), w.last, s.raw(w.last).T
			}
			*list = append(*list, x)
		}
	}
	return out
}
