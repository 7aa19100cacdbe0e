package transport

import "time"

// A Clock gives the session's time: nanoseconds since its beginning, monotonic.
// It is safe for use by several goroutines.
type Clock interface {
	Now() int64
}

// NewClock returns the clock of a session that began at t0. A t0 from time.Now
// makes it monotonic.
func NewClock(t0 time.Time) Clock { return clock{t0} }

type clock struct{ t0 time.Time }

func (c clock) Now() int64 { return int64(time.Since(c.t0)) }
