package statistics

import (
	"cmp"
	"context"
	"slices"

	"wiretea/session"
)

// A Key names a line: requests of one side, of a method, and where Target is not empty
// of what they act on, such as a tool. The zero Key stands for all requests of clients.
type Key struct {
	Sender         session.Stream
	Method, Target string
	Session        int // Session is the number of the target's session in a merged log, from 1: tools of two servers that have one name are two tools.
}

// A Line is what is counted of some requests.
type Line struct {
	session.MethodStats        // MethodStats has latencies without the time that people took.
	Target              string // Target is the tool, prompt or uri; empty = all of the method.
	Session             int    // Session is that of a target in a merged log, from 1.

	People    int64   // People is how long people took, in nanoseconds.
	Latencies []int64 // Latencies are those of the answers, in nanoseconds, ascending.
	Targets   []*Line // Targets are the lines of what the method acts on, in the order in which they were first seen.
}

// Key is the name of the line.
func (l *Line) Key() Key { return Key{l.Sender, l.Name, l.Target, l.Session} }

// An Extreme is a request that stands out.
type Extreme struct {
	Row   uint32 // Row is the row of the request.
	Value int64  // Value is its latency in nanoseconds, or the bytes of its answer.
}

// Statistics are what is counted of a session. They never change.
type Statistics struct {
	Rows  int     // Rows is how many rows were counted,
	Clock int64   // and Clock the time of the session then, in nanoseconds.
	Lines []*Line // Lines are those of methods, in the order in which they were first seen.

	Slowest []Extreme // Slowest are the answered requests of clients that took longest, the longest first, at most MostExtremes.
	Largest []Extreme // Largest are those of either side with the longest answers, likewise.
	Failing []*Line   // Failing are the methods and what they act on of which most requests failed, likewise.

	Focus   Key     // Focus selects the requests that the rest describes.
	Subject *Line   // Subject is the line of Focus; for the zero Key, of all requests of clients; nil if there are no such requests.
	Bars    []Bar   // Bars are a histogram of its latencies, in at most MostBars parts.
	Over    HeatMap // Over is how its latencies went over time.
}

const (
	// MostBars is how many parts a histogram has.
	MostBars = 12

	// MostExtremes is how many requests of a kind stand out.
	MostExtremes = 5

	// mostLines is how many lines are counted; what comes after them counts to its method
	// only.
	mostLines = 4096
)

// A counter is the work of one Collect.
type counter struct {
	s      *session.Snapshot
	out    *Statistics
	people map[uint16]*people
	rows   map[rowKey]*Line // rows are the lines by what rows have,
	lines  map[Key]*Line    // and lines all of them by what they are about.
}

// A rowKey is a Key by interned names.
type rowKey struct {
	sender         session.Stream
	method, target uint32
	member         int
}

// Collect counts the requests of a session, and over time the latencies of a line. What they act on
// has a line for each session of a merged log. It returns nil when ctx ends.
func Collect(ctx context.Context, s *session.Snapshot, focus Key) *Statistics {
	c := &counter{s: s, out: &Statistics{Rows: s.Len(), Clock: s.Clock(), Focus: focus}, people: peopleOf(s), rows: map[rowKey]*Line{}, lines: map[Key]*Line{}}
	var focused []sample
	for i := range uint32(s.Len()) {
		if i%(1<<16) == 0 && ctx.Err() != nil {
			return nil
		}
		row := s.Row(i)
		if row.Kind != session.RowRequest || row.Substitutes() || !s.Has(int(row.Conn)) {
			continue
		}
		if got := c.add(i, &row); got.of(s, &row, focus) {
			focused = append(focused, got)
		}
	}
	c.finish()
	c.out.Subject = c.out.Line(focus)
	if focus.Method == "" {
		c.out.Subject = c.out.all()
	}
	if c.out.Subject != nil {
		c.out.Bars = Histogram(c.out.Subject.Latencies, MostBars)
	}
	c.out.Over = newHeatMap(focused, c.out.Clock)
	return c.out
}

// A sample is one request of a heat map.
type sample struct {
	from    int64
	latency int64 // latency is negative if the request has none.
}

// of reports whether the request belongs to a line.
func (sample) of(s *session.Snapshot, row *session.Row, k Key) bool {
	if k.Method == "" {
		return row.Stream == session.C2S
	}
	return row.Stream == k.Sender && s.Name(row.Method) == k.Method && (k.Target == "" || s.Member(int(row.Conn)) == k.Session && s.Name(row.Target) == k.Target)
}

// add counts a request to its method, and to what it acts on.
func (c *counter) add(i uint32, row *session.Row) sample {
	one := sample{from: row.T, latency: -1}
	method := c.line(nil, rowKey{row.Stream, row.Method, 0, 0}, row)
	lines := [2]*Line{method}
	if row.Target != 0 && c.s.Name(row.Target) != "" {
		lines[1] = c.line(method, rowKey{row.Stream, row.Method, row.Target, c.s.Member(int(row.Conn))}, row)
	}
	took, answered := c.s.Latency(i)
	answer := c.s.Row(row.Pair)
	human := int64(0)
	switch {
	case c.ofPeople(row):
		human, took = took, -1
	case answered && (row.Flags&session.FlagDecided != 0 || answer.Flags&session.FlagDecided != 0 && answer.Way == session.WayOut):
		took = -1 // It was held on the way, or nobody has answered it.
	case answered:
		human = c.people[row.Conn].between(row.T, answer.T, answer.T)
		took = max(0, took-human)
	}
	for _, l := range lines {
		if l != nil {
			l.add(row, &answer, answered, took, human)
		}
	}
	if answered {
		c.out.Largest = extreme(c.out.Largest, Extreme{i, int64(answer.Len)})
		if one.latency = took; took >= 0 && row.Stream == session.C2S {
			c.out.Slowest = extreme(c.out.Slowest, Extreme{i, took})
		}
	}
	return one
}

// line returns the line of a key, a new one where it has none; nil where there are too
// many.
func (c *counter) line(of *Line, k rowKey, row *session.Row) *Line {
	if l := c.rows[k]; l != nil {
		return l
	}
	fresh := &Line{MethodStats: session.MethodStats{Name: c.s.Name(row.Method), Sender: row.Stream}}
	if of != nil {
		fresh.Target, fresh.Session = c.s.Name(row.Target), k.member
	}
	l := c.lines[fresh.Key()]
	switch {
	case l != nil: // A name that is another's after the table was full.
	case of != nil && len(c.lines) >= mostLines:
		return nil
	case of == nil:
		l = fresh
		c.out.Lines = append(c.out.Lines, l)
	default:
		l = fresh
		of.Targets = append(of.Targets, l)
	}
	c.rows[k], c.lines[l.Key()] = l, l
	return l
}

// add counts a request. took is less than 0 for one that has no latency.
func (l *Line) add(row, answer *session.Row, answered bool, took, human int64) {
	l.Count++
	l.BytesOut += int64(row.Len)
	l.People += human
	switch {
	case answered:
		l.BytesIn += int64(answer.Len)
		if took >= 0 {
			l.Latencies = append(l.Latencies, took)
		}
		if answer.Failed() && !(answer.Way == session.WayOut && answer.Flags&session.FlagDecided != 0) { // Else wiretea answered it.
			l.Errors++
		}
	case row.Flags&session.FlagCancelled != 0:
		l.Cancelled++
	case row.Flags&session.FlagLost == 0:
		l.Pending++
	}
}

// finish sorts what was counted.
func (c *counter) finish() {
	for _, l := range c.lines {
		l.sort()
		if l.Errors > 0 && (l.Target != "" || len(l.Targets) == 0) {
			c.out.Failing = append(c.out.Failing, l)
		}
	}
	slices.SortFunc(c.out.Failing, func(a, b *Line) int {
		return cmp.Or(cmp.Compare(b.Errors, a.Errors), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Target, b.Target), cmp.Compare(a.Session, b.Session))
	})
	c.out.Failing = c.out.Failing[:min(len(c.out.Failing), MostExtremes)]
}

// At returns the p-th percentile of the latencies, in nanoseconds; 0 where there are none.
func (l *Line) At(p float64) int64 {
	n := len(l.Latencies)
	if n == 0 {
		return 0
	}
	return l.Latencies[min(n-1, max(0, int(p/100*float64(n)+0.5)-1))]
}

// Line returns the line of a key, or nil.
func (s *Statistics) Line(k Key) *Line {
	for _, l := range s.Lines {
		if l.Sender != k.Sender || l.Name != k.Method {
			continue
		}
		for _, t := range l.Targets {
			if t.Target == k.Target && t.Session == k.Session {
				return t
			}
		}
		return l
	}
	return nil
}

// extreme puts a request in its place among those with the highest values.
func extreme(list []Extreme, x Extreme) []Extreme {
	at, _ := slices.BinarySearchFunc(list, x, func(a, b Extreme) int {
		return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(a.Row, b.Row))
	})
	if at == MostExtremes {
		return list
	}
	list = slices.Insert(list, at, x)
	return list[:min(len(list), MostExtremes)]
}

// all is what is counted of all requests of clients.
func (s *Statistics) all() *Line {
	all := &Line{MethodStats: session.MethodStats{Sender: session.C2S}}
	for _, l := range s.Lines {
		if l.Sender == session.C2S {
			all.Count += l.Count
			all.People += l.People
			all.Latencies = append(all.Latencies, l.Latencies...)
		}
	}
	all.sort()
	return all
}

// sort sorts the latencies, and takes the percentiles from them.
func (l *Line) sort() {
	slices.Sort(l.Latencies)
	l.P50, l.P95, l.P99, l.Max = l.At(50), l.At(95), l.At(99), l.At(100)
}
