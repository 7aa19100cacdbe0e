package session

import (
	"sort"
	"time"
)

// An apart says how far the wall clock is ahead of the header's time plus the session's
// clock, after a time of the session.
type apart struct {
	T     int64
	Ahead int64 // Ahead is in nanoseconds.
}

const (
	leastApart = int64(time.Millisecond) // leastApart is the least difference that is recorded
	maxAparts  = 1 << 16                 // a week of records that come every ten seconds
)

// addClock keeps how far the clocks are apart.
func (a *Analyzer) addClock(r *Record) {
	if a.header == nil || a.header.T0.IsZero() || len(a.aparts) >= maxAparts {
		return
	}
	ahead, last := int64(r.Wall.Sub(a.header.T0))-a.clock, int64(0)
	if n := len(a.aparts); n > 0 {
		last = a.aparts[n-1].Ahead
	}
	if ahead-last >= leastApart || last-ahead >= leastApart {
		a.aparts = append(a.aparts, apart{a.clock, ahead})
	}
}

// Wall returns the wall time at a time of the session, in nanoseconds: the header's T0
// plus that time, corrected by the latest clock record before it, so that what comes later
// changes no time. It is the zero time
// where the session has no T0.
func (s *Snapshot) Wall(t int64) time.Time {
	if s.header == nil || s.header.T0.IsZero() {
		return time.Time{}
	}
	if at := sort.Search(len(s.aparts), func(i int) bool { return s.aparts[i].T >= t }); at > 0 {
		t += s.aparts[at-1].Ahead
	}
	return s.header.T0.Add(time.Duration(t))
}
