package session

import (
	"cmp"
	"slices"
	"sort"
	"sync"

	"wiretea/session/mcp"
)

// A History returns the state of a session at any of its rows. It is made from
// a snapshot, whose rows and bodies it shares, and may be used from any
// goroutine.
//
// The result equals the snapshot at that moment, with these exceptions. What a
// row became later by its own bytes, it is from the start: a line that turned
// out to be part of a value, the operation of a request. Messages within
// batches are not counted. Terminators count as one byte each. Done and Total
// of an exchange, which are in a body, are 0. If very many requests wait, or
// connections live, at once, only the oldest are known; of reports of findings
// the first million.
type History struct {
	whole *Snapshot
	sums  []sum   // sums[i] is the state before row i*sumRows.
	born  []int64 // born[i] is the latest time at which a row before i*chunkRows began.

	conns   []int        // conns are the indexes of the connections, by id.
	firsts  []uint32     // firsts are the first rows of the connections, by index.
	overs   []transition // overs are the ends of connections, by connection.
	lost    [][]uint32   // lost are the requests that each of those ends left unanswered.
	cancels []link       // cancels lead from requests to their first cancellation, by request.
	given   []link       // given lead from results that requested input to the requests that gave it, by result.
	events  []uint32     // events are the rows of events of processes and streams.
	lates   []link       // lates lead from late requests to their indexes in Snapshot.lates, by request.
	ops     []uint32     // ops are the last rows of the operations.
	belated []link       // belated lead from rows with findings that were reported later than the row came to all their marks, by row.
	before  []uint32     // before has, for each mark, the previous mark of the same finding; noMark = none.
	tops    [][]top      // tops are the responses that took longer than all before, by the indexes of Snapshot.Methods.
	rises   []rise       // rises are the reports that raised the severity of a finding.

	mu  sync.Mutex
	run cumulative
}

// A link leads from one row to a later one.
type link struct{ from, to uint32 }

// A top is a response that took longer than all earlier ones of its method, in
// nanoseconds.
type top struct {
	row uint32
	max int64
}

// A rise is a report, by its mark, that raised the severity of a finding.
type rise struct {
	mark    uint32
	finding int
	was     Severity
}

// A sum is the counts up to a row.
type sum struct {
	counts
	open []waiting // open are the requests that wait, oldest first.
}

// sumRows is how many rows are between two sums; At reads at most that many.
const sumRows = 4 * chunkRows

// Bounds of a sum.
const (
	mostWaiting = 1024 // requests that wait
	mostAlive   = 64   // connections that live
)

// A waiting request, and its progress notifications.
type waiting struct {
	row, notes, last uint32
}

const noMark = ^uint32(0)

// NewHistory returns the history of a session. It reads every row once: a
// million take tens of milliseconds.
func NewHistory(s *Snapshot) *History {
	h := &History{whole: s}
	h.run.reset(h)
	h.indexConns()
	h.indexLinks()
	h.indexMarks()
	h.count()
	return h
}

// Len returns the number of rows of the whole session.
func (h *History) Len() int { return int(h.whole.n) }

// Whole returns the snapshot that the history was made of.
func (h *History) Whole() *Snapshot { return h.whole }

func (h *History) indexConns() {
	s := h.whole
	h.conns = make([]int, len(s.conns))
	h.firsts = make([]uint32, len(s.conns))
	for i := range h.conns {
		h.conns[i], h.firsts[i] = i, NoRow
	}
	slices.SortFunc(h.conns, func(a, b int) int { return cmp.Compare(s.conns[a].ID, s.conns[b].ID) })
	for _, t := range s.turns {
		if t.Ended {
			h.overs = append(h.overs, t)
		}
	}
	slices.SortStableFunc(h.overs, func(a, b transition) int { return cmp.Compare(a.Conn, b.Conn) })
	h.overs = slices.CompactFunc(h.overs, func(a, b transition) bool { return a.Conn == b.Conn })
	h.lost, h.tops = make([][]uint32, len(h.overs)), make([][]top, len(s.methods))
}

// connIndex returns the index of the connection with an id, -1 if there is
// none.
func (h *History) connIndex(id int) int {
	at, ok := slices.BinarySearchFunc(h.conns, id, func(i, id int) int { return cmp.Compare(h.whole.conns[i].ID, id) })
	if !ok {
		return -1
	}
	return h.conns[at]
}

// overIndex returns the index of a connection's end in overs, -1 if it has
// none.
func (h *History) overIndex(id int) int {
	at, ok := slices.BinarySearchFunc(h.overs, id, func(t transition, id int) int { return cmp.Compare(t.Conn, id) })
	if !ok {
		return -1
	}
	return at
}

// indexLinks finds the rows that changed other rows, which their own fields do
// not show.
func (h *History) indexLinks() {
	s := h.whole
	asked := make(map[uint32]uint32) // results that requested input, by operation
	seen := make(map[uint32]bool)    // requests whose cancellation was seen
	latest := int64(0)
	for i := range s.n {
		r := s.raw(i)
		if i%chunkRows == 0 {
			h.born = append(h.born, latest)
		}
		latest = max(latest, r.begin())
		if c := h.connIndex(int(r.Conn)); c >= 0 && h.firsts[c] == NoRow {
			h.firsts[c] = i
		}
		if op := r.Op; op != 0 && op <= s.n {
			for uint32(len(h.ops)) <= op {
				h.ops = append(h.ops, NoRow)
			}
			h.ops[op] = i
		}
		switch {
		case r.Kind == RowProc, r.Kind == RowIO:
			h.events = append(h.events, i)
		case r.Kind == RowNotification && r.Pair < i && s.Name(r.Method) == mcp.CancelledNotification:
			if !seen[r.Pair] && s.raw(r.Pair).Flags&FlagCancelled != 0 {
				seen[r.Pair] = true
				h.cancels = append(h.cancels, link{r.Pair, i})
			}
		case r.Kind == RowRequest:
			h.indexRequest(i, r, asked)
		case r.Kind == RowResult, r.Kind == RowError:
			if r.Flags&FlagAsked != 0 && r.Op != 0 {
				asked[r.Op] = i
			}
			h.indexAnswer(i, r)
		}
	}
	slices.SortFunc(h.cancels, byFrom)
	slices.SortFunc(h.given, byFrom)
	for k, l := range s.lates {
		h.lates = append(h.lates, link{l.Row, uint32(k)})
	}
	slices.SortFunc(h.lates, byFrom)
}

// indexRequest records the end of a request.
func (h *History) indexRequest(i uint32, r *Row, asked map[uint32]uint32) {
	if result, ok := asked[r.Op]; ok && r.Op != 0 {
		h.given = append(h.given, link{result, i})
		delete(asked, r.Op)
	}
	if r.Flags&FlagLost != 0 {
		if over := h.overIndex(int(r.Conn)); over >= 0 {
			h.lost[over] = append(h.lost[over], i)
		}
	}
}

// indexAnswer records a response that took longer than those before.
func (h *History) indexAnswer(i uint32, r *Row) {
	req, ok := h.answers(i, r)
	if !ok || !timeOfPeers(req, r) {
		return
	}
	m := h.run.of(h, statsKey{req.Method, req.Stream})
	if m < 0 {
		return
	}
	ns := max(0, r.T-req.T)
	if list := h.tops[m]; len(list) == 0 || list[len(list)-1].max < ns {
		h.tops[m] = append(list, top{i, ns})
	}
}

// answers returns the request to which row i was the first response.
func (h *History) answers(i uint32, r *Row) (*Row, bool) {
	if r.Pair >= i {
		return nil, false
	}
	req := h.whole.raw(r.Pair)
	return req, req.Pair == i && req.Kind == RowRequest
}

// timeOfPeers reports whether the time of an exchange is that of its peers: it was not held on
// the way, nor answered here.
func timeOfPeers(req, resp *Row) bool {
	return req.Flags&FlagDecided == 0 && (resp.Flags&FlagDecided == 0 || resp.Way != WayOut)
}

func byFrom(a, b link) int { return cmp.Compare(a.from, b.from) }

// to returns where the link from a row leads, NoRow if there is none.
func to(links []link, from uint32) uint32 {
	at, ok := slices.BinarySearchFunc(links, from, func(l link, from uint32) int { return cmp.Compare(l.from, from) })
	if !ok {
		return NoRow
	}
	return links[at].to
}

// indexMarks finds the rows with findings that were reported after the row
// came, and links the reports of each finding.
func (h *History) indexMarks() {
	marks := h.whole.marks
	belated := make(map[uint32]bool)
	last := make([]uint32, len(h.whole.findings))
	for i := range last {
		last[i] = noMark
	}
	worst := make([]Severity, len(last))
	h.before = make([]uint32, len(marks))
	for k, m := range marks {
		if m.row < h.whole.n && (m.at > m.row+1 || m.t > h.whole.raw(m.row).T) {
			belated[m.row] = true
		}
		h.before[k] = noMark
		if int(m.finding) >= len(last) {
			continue
		}
		h.before[k], last[m.finding] = last[m.finding], uint32(k)
		if was := worst[m.finding]; was < m.sev {
			worst[m.finding] = m.sev
			if was != NoSeverity {
				h.rises = append(h.rises, rise{uint32(k), int(m.finding), was})
			}
		}
	}
	if len(belated) == 0 {
		return
	}
	for k, m := range marks {
		if belated[m.row] {
			h.belated = append(h.belated, link{m.row, uint32(k)})
		}
	}
	slices.SortStableFunc(h.belated, byFrom)
}

// count makes the sums.
func (h *History) count() {
	s := h.whole
	var t counts
	var open []waiting
	for i := range s.n {
		if i%sumRows == 0 {
			open = slices.DeleteFunc(open, func(w waiting) bool { return !h.waits(w.row, i) })
			t.forget(h, i)
			h.sums = append(h.sums, sum{t.clone(), slices.Clone(open[:min(len(open), mostWaiting)])})
		}
		r := s.raw(i)
		t.add(h, i, r)
		open = note(open, i, r)
	}
}

// note updates the list of waiting requests with a row.
func note(open []waiting, i uint32, r *Row) []waiting {
	switch {
	case r.Kind == RowRequest && len(open) < maxWaiting && !r.Substitutes():
		return append(open, waiting{row: i})
	case r.Kind == RowNotification && r.Pair < i:
		at, ok := slices.BinarySearchFunc(open, r.Pair, func(w waiting, row uint32) int { return cmp.Compare(w.row, row) })
		if ok {
			open[at].notes++
			open[at].last = i
		}
	}
	return open
}

// waits reports whether a request waits after n rows: it is not answered, not
// cancelled, and its connection has not ended.
func (h *History) waits(row, n uint32) bool {
	r := h.whole.raw(row)
	if r.Pair < n {
		return false
	}
	if r.Flags&FlagCancelled != 0 && to(h.cancels, row) < n {
		return false
	}
	if r.Flags&FlagLost != 0 {
		over := h.overIndex(int(r.Conn))
		return over < 0 || h.overs[over].Rows >= n
	}
	return true
}

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
