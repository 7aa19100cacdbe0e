package waterfall

import (
	"slices"
	"sort"
	"time"

	"wiretea/recorder/statistics"
	"wiretea/session"
	"wiretea/session/mcp"
)

// A chart is what is drawn of a session. It never changes.
type chart struct {
	rows     int
	clock    int64    // clock is the session's time then, in nanoseconds.
	requests []uint32 // requests are their rows, in the order in which they came.
	progress []tick   // progress are the progress notifications, by request.
	lanes    [numLanes][]event
	people   map[uint16]*statistics.People
	axis     axis
}

// A tick is a progress notification of a request.
type tick struct {
	row uint32
	t   int64
}

// An event is something that happens at a moment.
type event struct {
	t   int64
	sev session.Severity // sev is that of a finding.
}

// A lane gathers events of a kind.
type lane uint8

const (
	process lane = iota
	stderr
	fromClient
	fromServer
	findings
	numLanes
)

var laneNames = [numLanes]string{process: "process", stderr: "stderr", fromClient: "→ notifications", fromServer: "← notifications", findings: "findings"}

// collect looks at every row of a session, at a time of it.
func collect(s *session.Snapshot, now int64) *chart {
	c := &chart{rows: s.Len(), clock: max(now, s.Clock()), people: statistics.PeopleOf(s)}
	idle := idleTime{clock: c.clock}
	for i := range uint32(s.Len()) {
		row := s.Row(i)
		idle.add(begin(&row), end(s, i, &row))
		switch row.Kind {
		case session.RowRequest:
			c.requests = append(c.requests, i)
		case session.RowNotification:
			if s.Name(row.Method) == mcp.ProgressNotification && row.Pair != session.NoRow {
				c.progress = append(c.progress, tick{row.Pair, row.T})
			}
			of := fromServer
			if row.Stream == session.C2S {
				of = fromClient
			}
			c.lanes[of] = append(c.lanes[of], event{t: row.T})
		case session.RowStderr:
			c.lanes[stderr] = append(c.lanes[stderr], event{t: row.T})
		case session.RowProc:
			c.lanes[process] = append(c.lanes[process], event{t: row.T})
		}
	}
	for _, f := range s.Findings() {
		c.lanes[findings] = append(c.lanes[findings], event{f.T, f.Severity})
	}
	for i := range c.lanes {
		slices.SortStableFunc(c.lanes[i], func(a, b event) int { return compare(a.t, b.t) })
	}
	slices.SortStableFunc(c.progress, func(a, b tick) int { return compare(int64(a.row), int64(b.row)) })
	c.axis = idle.axis()
	return c
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// begin is when the first byte of a row was read.
func begin(row *session.Row) int64 { return row.T - int64(row.Dur)*1000 }

// end is when what a row begins is over: for a request when the answer's last byte was
// read, or the session's clock while it waits. One that may wait for ever is over at once.
func end(s *session.Snapshot, i uint32, row *session.Row) int64 {
	if row.Kind != session.RowRequest {
		return row.T
	}
	if took, answered := s.Latency(i); answered {
		return row.T + took
	}
	m, known := mcp.Lookup(s.Name(row.Method))
	if row.Flags&(session.FlagCancelled|session.FlagLost) != 0 || known && m.Unbounded {
		return row.T
	}
	return s.Clock()
}

// ticks are the times of a request's progress.
func (c *chart) ticks(row uint32) []tick {
	from := sort.Search(len(c.progress), func(i int) bool { return c.progress[i].row >= row })
	to := sort.Search(len(c.progress), func(i int) bool { return c.progress[i].row > row })
	return c.progress[from:to]
}

// worst is the highest severity of the events of a lane between two times, and how many
// there are.
func (c *chart) worst(of lane, from, to int64) (sev session.Severity, n int) {
	list := c.lanes[of]
	a := sort.Search(len(list), func(i int) bool { return list[i].t >= from })
	b := sort.Search(len(list), func(i int) bool { return list[i].t >= to })
	for _, e := range list[a:min(b, a+256)] { // Of more the first ones say enough.
		sev = max(sev, e.sev)
	}
	return sev, b - a
}

// place is the index of a request's row; of the one before it where it is not there.
func (c *chart) place(row uint32) int {
	at, found := slices.BinarySearch(c.requests, row)
	if !found {
		at--
	}
	return max(0, at)
}

// idleTime finds when nothing happens.
type idleTime struct {
	clock, until int64
	begun        bool
	gaps         []gap
}

// A gap is a time in which nothing happens and no request waits.
type gap struct{ from, to int64 }

// leastGap is the shortest gap that is folded, in nanoseconds.
const leastGap = int64(time.Second)

// add adds what happens from a time to another one.
func (d *idleTime) add(from, to int64) {
	if !d.begun {
		d.begun, d.until = true, max(from, 0)
	}
	if from-d.until > leastGap {
		d.gaps = append(d.gaps, gap{d.until, from})
	}
	d.until = max(d.until, from, to)
}

// axis folds the long gaps.
func (d *idleTime) axis() axis {
	const part, folded = 20, 40 // A gap is long that is a 20th of the rest, and is drawn as a 40th.
	busy := max(d.until, d.clock, 1)
	for _, g := range d.gaps {
		busy -= g.to - g.from
	}
	a := axis{real: []int64{0}, drawn: []int64{0}}
	for _, g := range d.gaps {
		if g.to-g.from < max(leastGap, busy/part) {
			continue
		}
		at := a.to(g.from)
		a.real = append(a.real, g.from, g.to)
		a.drawn = append(a.drawn, at, at+max(1, busy/folded))
		a.gaps = append(a.gaps, g)
	}
	a.end = a.to(max(d.until, d.clock, 1))
	return a
}

// An axis leads from times of the session to times that are drawn, where idle time is
// short, and back.
type axis struct {
	real, drawn []int64 // real and drawn are the same moments, ascending.
	gaps        []gap
	end         int64 // end is the drawn time at which the session ends.
}

// to is the drawn time of a time.
func (a *axis) to(t int64) int64 { return between(a.real, a.drawn, t) }

// from is the time of a drawn one.
func (a *axis) from(v int64) int64 { return between(a.drawn, a.real, v) }

// between is the place on a line that leads through points; beyond the last one it goes on
// at the same pace.
func between(xs, ys []int64, x int64) int64 {
	i := sort.Search(len(xs), func(i int) bool { return xs[i] > x }) - 1
	if i < 0 {
		return ys[0]
	}
	if i == len(xs)-1 {
		return ys[i] + x - xs[i]
	}
	return ys[i] + int64(float64(x-xs[i])/float64(xs[i+1]-xs[i])*float64(ys[i+1]-ys[i]))
}
