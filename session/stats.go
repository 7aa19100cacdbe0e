package session

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// MethodStats is what is known of the requests of one method from one side.
type MethodStats struct {
	Name   string // Name is the method; "…" gathers what came after MaxMethodStats.
	Sender Stream

	Count     int64
	Pending   int64
	Errors    int64
	Cancelled int64
	BytesOut  int64 // BytesOut are the bytes of the requests.
	BytesIn   int64 // BytesIn are the bytes of the responses.

	// Latencies in nanoseconds, from the request's last byte to the response's
	// last, to two digits; 0 where nothing was answered.
	P50, P95, P99, Max int64
}

// MaxMethodStats is how many pairs of method and sender have statistics of their
// own.
const MaxMethodStats = 256

// Latencies are recorded in units of a microsecond, up to a day.
const (
	latencyUnit = int64(time.Microsecond)
	latencyMax  = int64(24 * time.Hour)
)

type statsKey struct {
	method uint32
	sender Stream
}

type methodStat struct {
	MethodStats
	hist  *hdrhistogram.Histogram // nil until the first answer
	dirty bool                    // dirty: the percentiles are older than hist
}

// stats gathers the statistics of all connections.
type stats struct {
	list  []*methodStat
	index map[statsKey]*methodStat
	last  *methodStat // last is that of lastKey: methods come in runs.
	lastK statsKey
}

// of returns the statistics of a method, named by name.
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

// answered counts an answer that took ns.
func (m *methodStat) answered(ns int64) {
	if m.hist == nil {
		m.hist = hdrhistogram.New(latencyUnit, latencyMax, 2)
	}
	// It cannot fail within the bounds.
	_ = m.hist.RecordValue(min(max(ns, 0), latencyMax))
	m.Max = max(m.Max, ns)
	m.dirty = true
}

// published returns the statistics for a snapshot.
func (s *stats) published() []MethodStats {
	out := make([]MethodStats, len(s.list))
	for i, m := range s.list {
		if m.dirty {
			m.P50 = min(m.hist.ValueAtPercentile(50), m.Max)
			m.P95 = min(m.hist.ValueAtPercentile(95), m.Max)
			m.P99 = min(m.hist.ValueAtPercentile(99), m.Max)
			m.dirty = false
		}
		out[i] = m.MethodStats
	}
	return out
}
