package client

import (
	"context"
	"sync"
	"time"
)

// requestTimers holds the time limits of requests. They do not run while a question of
// the server's is open: a server that waits for a person is not late.
type requestTimers struct {
	mu     sync.Mutex
	open   int // open counts the questions.
	limits map[*limit]struct{}
}

// A limit ends a context when its time is up.
type limit struct {
	owner *requestTimers
	end   func()        // end cancels the context.
	all   time.Duration // all is how long it is.
	timer *time.Timer
	due   time.Time     // due is when the time is up, while the clock runs.
	left  time.Duration // left is what remained when the clock was stopped.
}

// within returns a ctx that ends with that cause after d of running clock; 0 =
// never, and l is nil. stop must be called.
func (p *requestTimers) within(ctx context.Context, d time.Duration, cause error) (limited context.Context, l *limit, stop func()) {
	if d <= 0 {
		return ctx, nil, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	l = &limit{owner: p, all: d, end: func() { cancel(cause) }}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.limits == nil {
		p.limits = make(map[*limit]struct{})
	}
	p.limits[l] = struct{}{}
	l.left = d
	if p.open == 0 {
		l.startLocked()
	}
	return ctx, l, func() {
		p.mu.Lock()
		l.stopLocked()
		delete(p.limits, l)
		p.mu.Unlock()
		cancel(nil)
	}
}

func (l *limit) startLocked() {
	l.due = time.Now().Add(l.left)
	var mine *time.Timer
	mine = time.AfterFunc(l.left, func() {
		l.owner.mu.Lock()
		defer l.owner.mu.Unlock()
		// A timer that was stopped as it fired is not in force any more.
		if l.timer == mine {
			l.end()
		}
	})
	l.timer = mine
}

func (l *limit) stopLocked() {
	if l.timer == nil {
		return
	}
	l.timer.Stop()
	l.timer = nil
	l.left = time.Until(l.due)
}

// whole returns how long the limit is; 0 for none.
func (l *limit) whole() time.Duration {
	if l == nil {
		return 0
	}
	return l.all
}

// until returns when the time is up; zero while the clock stands still, and without a limit.
func (l *limit) until() time.Time {
	if l == nil {
		return time.Time{}
	}
	l.owner.mu.Lock()
	defer l.owner.mu.Unlock()
	if l.timer == nil {
		return time.Time{}
	}
	return l.due
}

// hold stops the clocks until release is called as often.
func (p *requestTimers) hold() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open++; p.open == 1 {
		for l := range p.limits {
			l.stopLocked()
		}
	}
}

func (p *requestTimers) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open--; p.open == 0 {
		for l := range p.limits {
			l.startLocked()
		}
	}
}
