package waterfall

import (
	"cmp"
	"math/bits"
	"slices"
	"sort"
	"time"

	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/mcp"
	"wiretea/ui/keyhelp"
	"wiretea/ui/style"
)

// A chart is what is drawn of the session. It never changes.
type chart struct {
	rows     int
	clock    int64    // clock is the time then, in nanoseconds.
	requests []uint32 // requests are the rows of requests, in the order in which they came.
	spans    []gap    // spans are the times of each blockSize requests.
	progress []tick   // progress are the progress notifications, by request.
	lanes    [numLanes][]event
	http     bool // http: a session is over HTTP.
	axis     axis
}

// place is the index of a request's row; of the one before it where it is not there.
func (ch *chart) place(row uint32) int {
	at, found := slices.BinarySearch(ch.requests, row)
	if !found {
		at--
	}
	return max(0, at)
}

// A tick is a progress notification of a request.
type tick struct {
	of uint32
	t  int64
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

// collect looks at every row of a session. now is its time, in nanoseconds; 0 where it is over.
func collect(s *session.Snapshot, now int64) *chart {
	ch := &chart{rows: s.Len(), clock: max(now, s.Clock())}
	for _, c := range s.Conns() {
		h := s.HeaderOf(c.ID)
		ch.http = ch.http || h != nil && h.Trans == "http"
	}
	idle := idleTime{}
	for i := range uint32(s.Len()) {
		row := s.Row(i)
		idle.add(begin(&row), end(s, i, &row, ch.clock, now > 0))
		switch row.Kind {
		case session.RowRequest:
			if !row.Substitutes() {
				ch.requests = append(ch.requests, i)
			}
		case session.RowNotification:
			if s.Name(row.Method) == mcp.ProgressNotification && row.Pair != session.NoRow {
				ch.progress = append(ch.progress, tick{row.Pair, row.T})
			}
			of := fromServer
			if row.Stream == session.C2S {
				of = fromClient
			}
			ch.lanes[of] = append(ch.lanes[of], event{t: row.T})
		case session.RowStderr:
			ch.lanes[stderr] = append(ch.lanes[stderr], event{t: row.T})
		case session.RowProc:
			ch.lanes[process] = append(ch.lanes[process], event{t: row.T})
		}
	}
	for _, f := range s.Findings() {
		ch.lanes[findings] = append(ch.lanes[findings], event{f.T, f.Severity})
	}
	for i := range ch.lanes {
		slices.SortStableFunc(ch.lanes[i], func(a, b event) int { return cmp.Compare(a.t, b.t) })
	}
	slices.SortStableFunc(ch.progress, func(a, b tick) int { return cmp.Compare(a.of, b.of) })
	ch.spans = ch.blocks(s)
	idle.clock = ch.clock
	ch.axis = idle.axis()
	return ch
}

// begin is when the first byte of a row was read.
func begin(row *session.Row) int64 { return row.T - int64(row.Dur)*1000 }

// begun is when the first byte of a request was read, of one that a client sends over HTTP
// that of its head.
func begun(s *session.Snapshot, i uint32, row *session.Row) int64 {
	at := begin(row)
	if trip := s.TripRow(i); trip != session.NoRow && row.Stream == session.C2S {
		head := s.Row(trip)
		at = min(at, head.T)
	}
	return at
}

// end is when what a row begins is over: for a request when the answer's last byte was
// read, or now while it waits. One that may wait for ever is over at once, and so is one that was
// dropped here, unless it may still be held, which is live.
func end(s *session.Snapshot, i uint32, row *session.Row, now int64, live bool) int64 {
	if row.Kind != session.RowRequest || row.Substitutes() {
		return row.T
	}
	if took, answered := s.Latency(i); answered {
		return row.T + took
	}
	m, known := mcp.Lookup(s.Name(row.Method))
	if row.Flags&(session.FlagCancelled|session.FlagLost) != 0 || known && m.Unbounded {
		return row.T
	}
	if dropped := row.Way == session.WayIn && row.Flags&session.FlagDecided != 0 && s.Onward(i) == session.NoRow; dropped && !live {
		return row.T
	}
	return now
}

// ticks are the times of a request's progress.
func (c *chart) ticks(row uint32) []tick {
	from := sort.Search(len(c.progress), func(i int) bool { return c.progress[i].of >= row })
	to := sort.Search(len(c.progress), func(i int) bool { return c.progress[i].of > row })
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

// idleTime finds when nothing happens.
type idleTime struct {
	clock, until int64 // until is when something happened last; 0 = the beginning of the session.
	gaps         []gap
	lengths      [64]int // lengths count all gaps by the bits of their lengths.
}

// A gap is a time between two moments: one in which nothing happens and no request waits.
type gap struct{ from, to int64 }

// leastGap is the shortest gap that is folded, in nanoseconds.
const leastGap = int64(time.Second)

// add adds what happens from a time to another one.
func (d *idleTime) add(from, to int64) {
	if from > d.until {
		d.lengths[bits.Len64(uint64(from-d.until))]++
	}
	if from-d.until > leastGap {
		d.gaps = append(d.gaps, gap{d.until, from})
	}
	d.until = max(d.until, from, to)
}

// manyGaps is how many long gaps may be folded, whatever is usual in the session.
const manyGaps = 8

// usual is the median gap, down to half of it too short.
func (d *idleTime) usual() int64 {
	all, n := 0, 0
	for _, count := range d.lengths {
		all += count
	}
	for b, count := range d.lengths {
		if n += count; 2*n >= all {
			return 1 << b >> 1
		}
	}
	return 0
}

// axis folds the long gaps, also those before the first thing that happened, and between the
// last one and now.
func (d *idleTime) axis() axis {
	if d.clock-d.until > leastGap {
		d.gaps = append(d.gaps, gap{d.until, d.clock})
	}
	const part, folded = 20, 40 // A gap is long that is a 20th of the rest, and is drawn as a 40th.
	busy := max(d.until, d.clock, 1)
	for _, g := range d.gaps {
		busy -= g.to - g.from
	}
	least := max(leastGap, busy/part)
	if len(d.gaps) > manyGaps {
		least = max(least, 5*d.usual()) // A client that calls once a second is not idle in between.
	}
	a := axis{real: []int64{0}, drawn: []int64{0}}
	for _, g := range d.gaps {
		if g.to-g.from < least {
			continue
		}
		at := a.to(g.from)
		a.real = append(a.real, g.from, g.to)
		a.drawn = append(a.drawn, at, at+max(1, busy/folded))
		a.gaps = append(a.gaps, g)
		a.idle = g.to == d.clock
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
	idle        bool  // idle: the last gap has not ended.
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

// The cells of bars.
const (
	requestComes = "░"
	waiting      = "█"
	openStream   = "▒"
	answerComes  = "▓"
	progressTick = "┃"
	foldedTime   = "┆"
	guideLine    = "┊"
)

// A cell is what one cell of a bar means.
type cell struct {
	keyhelp.Sign
	short string // short is what it means in a word or two.
}

func bars(th *style.Theme) style.Style   { return th.Server }
func ticks(th *style.Theme) style.Style  { return th.Strong }
func folds(th *style.Theme) style.Style  { return th.Dim }
func guides(th *style.Theme) style.Style { return th.Accent }

var cellWords = [...]cell{
	{keyhelp.Sign{Sign: requestComes, Means: "the request comes, from its first byte to its last", Look: bars}, "request"},
	{keyhelp.Sign{Sign: waiting, Means: "the request waits for its answer", Look: bars}, "wait"},
	{keyhelp.Sign{Sign: openStream, Means: "over HTTP: the head of the response has come, its stream is open", Look: bars}, "stream"},
	{keyhelp.Sign{Sign: answerComes, Means: "the answer comes, from its first byte to its last", Look: bars}, "answer"},
	{keyhelp.Sign{Sign: progressTick, Means: "a progress notification", Look: ticks}, "progress"},
	{keyhelp.Sign{Sign: foldedTime, Means: "time in which nothing happens, made short", Look: folds}, "idle"},
	{keyhelp.Sign{Sign: guideLine, Means: "where the selected request begins and ends", Look: guides}, "selected"},
}

// Signs explain the cells of bars.
func Signs() (all []keyhelp.Sign) {
	for _, c := range cellWords {
		all = append(all, c.Sign)
	}
	return all
}

// legend says what the cells of the bars mean.
func (d *drawing) legend(w int) string {
	d.Reset(w, "")
	for _, c := range cellWords {
		if c.Sign.Sign == openStream && !d.p.got.http {
			continue
		}
		text := " " + c.short + " "
		d.Left(c.Look(d.c.Theme), " "+c.Sign.Sign, 2)
		d.Left(d.c.Theme.Dim, text, cells.Width(text))
	}
	return d.String()
}
