package checkup

import (
	"sync"
	"time"
)

// A Clock is a time limit that can be stopped: while a package manager fetches the server,
// it does not run. Its methods may be called from any goroutine.
type Clock struct {
	mu    sync.Mutex
	timer *time.Timer
	since time.Time     // since is when it last began to run.
	left  time.Duration // left is what remained then.
}

// NewClock returns a Clock that runs, and calls end in a goroutine of its own once d is
// over.
func NewClock(d time.Duration, end func()) *Clock {
	return &Clock{timer: time.AfterFunc(d, end), since: time.Now(), left: d}
}

// Hold stops the clock, or lets it run again.
func (l *Clock) Hold(on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case !on:
		l.since = time.Now()
		l.timer.Reset(l.left)
	case l.timer.Stop():
		l.left -= time.Since(l.since)
	}
}
