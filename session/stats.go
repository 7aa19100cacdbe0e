package session

import (
	mathbits "math/bits"
	"time"
)

// MethodStats are the statistics of the requests of one method from one side.
type MethodStats struct {
	Name   string // Name is the method; "…" for methods after MaxMethodStats.
	Sender Stream

	Count     int64
	Pending   int64
	Errors    int64
	Cancelled int64
	BytesOut  int64 // BytesOut are the bytes of the requests.
	BytesIn   int64 // BytesIn are the bytes of the responses.

	// Latencies in nanoseconds, from the request's last byte to the response's
	// last, to two digits; 0 if nothing was answered. What was held, altered or answered on the
	// way is not the server's time, and left out.
	P50, P95, P99, Max int64
}

// MaxMethodStats is how many pairs of method and sender have their own
// statistics.
const MaxMethodStats = 256

// latencyMax is the longest latency that is distinguished, in nanoseconds.
const latencyMax = int64(24 * time.Hour)

type statsKey struct {
	method uint32
	sender Stream
}

type methodStat struct {
	MethodStats
	hist  latencies
	dirty bool // dirty: the percentiles are older than hist.
}

// stats are the statistics of all connections.
type stats struct {
	list  []*methodStat
	index map[statsKey]*methodStat
	last  *methodStat // last is that of lastK: methods come in runs.
	lastK statsKey
}

// of returns the statistics of a method with that name.
func (s *stats) of(k statsKey, name string) *methodStat {
	if s.last != nil && s.lastK == k {
		return s.last
	}
	m := s.index[k]
	if m == nil {
		m = s.make(k, name)
	}
	s.last, s.lastK = m, k
	return m
}

func (s *stats) make(k statsKey, name string) *methodStat {
	if s.index == nil {
		s.index = make(map[statsKey]*methodStat)
	}
	if len(s.list) >= MaxMethodStats {
		k = statsKey{manyName, k.sender}
		name = "…"
		if m := s.index[k]; m != nil {
			return m
		}
	}
	m := &methodStat{MethodStats: MethodStats{Name: name, Sender: k.sender}}
	s.list = append(s.list, m)
	s.index[k] = m
	return m
}

// answered counts a response that took ns.
func (m *methodStat) answered(ns int64) {
	m.hist.add(ns)
	m.Max = max(m.Max, ns)
	m.dirty = true
}

// percentiles updates the percentiles.
func (m *methodStat) percentiles() {
	if m.dirty {
		m.P50, m.P95, m.P99 = min(m.hist.at(50), m.Max), min(m.hist.at(95), m.Max), min(m.hist.at(99), m.Max)
		m.dirty = false
	}
}

// published returns the statistics for a snapshot.
func (s *stats) published() []MethodStats {
	out := make([]MethodStats, len(s.list))
	for i, m := range s.list {
		m.percentiles()
		out[i] = m.MethodStats
	}
	return out
}

// latencies is a histogram with a precision of two digits, in nanoseconds.
type latencies struct {
	count []uint32 // count is nil before the first value.
	n     int64
}

// The buckets have a precision of two digits: the lowest bits of a latency do
// not count, and of the others the highest eight do.
const (
	lowBits  = 9
	subBits  = 8
	halfSize = 1 << (subBits - 1)
)

// bucketOf returns the bucket of a latency from 0 to latencyMax.
func bucketOf(ns int64) int {
	u := uint64(ns) >> lowBits
	e := max(0, mathbits.Len64(u)-subBits)
	return e*halfSize + int(u>>e)
}

// bucketEnd returns the longest latency of a bucket.
func bucketEnd(i int) int64 {
	if i < 2*halfSize {
		return int64(i+1)<<lowBits - 1
	}
	e := i/halfSize - 1
	sub := i - e*halfSize
	return int64(sub+1)<<(e+lowBits) - 1
}

// add counts a latency.
func (l *latencies) add(ns int64) {
	if l.count == nil {
		l.count = make([]uint32, bucketOf(latencyMax)+1)
	}
	l.count[bucketOf(min(max(ns, 0), latencyMax))]++
	l.n++
}

// at returns the p-th percentile in nanoseconds; 0 without values.
func (l *latencies) at(p float64) int64 {
	if l.n == 0 {
		return 0
	}
	rank := min(l.n, max(1, int64(p/100*float64(l.n)+0.5)))
	sum := int64(0)
	for i, n := range l.count {
		if sum += int64(n); sum >= rank {
			return bucketEnd(i)
		}
	}
	return 0
}
