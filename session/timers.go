package session

import (
	"container/heap"
	"math"
	"slices"
	"time"
)

// stallAfter is how long a complete value may lack its terminator before that
// is an event.
const stallAfter = int64(500 * time.Millisecond)

// maxTimers bounds the timers of all checkers; further ones are dropped.
const maxTimers = 1 << 20

// A timer is a timer of a Checker.
type timer struct {
	t    int64
	seq  uint64 // seq keeps timers of one time in the order in which they were requested.
	conn int
	key  TimerKey
}

// timerHeap has the next timer first.
type timerHeap []timer

func (h timerHeap) Len() int { return len(h) }
func (h timerHeap) Less(i, j int) bool {
	return h[i].t < h[j].t || h[i].t == h[j].t && h[i].seq < h[j].seq
}
func (h timerHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *timerHeap) Push(x any)   { *h = append(*h, x.(timer)) }
func (h *timerHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	(*h)[last] = timer{}
	*h = (*h)[:last]
	return x
}

// A deadline is the exchanges that wait with one timeout, oldest first, so that
// they become due in the order of their start.
type deadline struct {
	timeout    int64
	head, tail *exchange
}

// maxSteps bounds the search for a place in the list; an exchange without a
// place becomes due later than it should.
const maxSteps = 1024

// add inserts x, which is in no list, after those whose timeout began earlier.
// That is the end of the list, except for requests that waited for a person.
func (d *deadline) add(x *exchange) {
	at := d.tail
	for n := 0; at != nil && at.since > x.since && n < maxSteps; n++ {
		at = at.before
	}
	x.deadline, x.before = d, at
	if at != nil {
		x.after, at.after = at.after, x
	} else {
		x.after, d.head = d.head, x
	}
	if x.after != nil {
		x.after.before = x
	} else {
		d.tail = x
	}
}

// drop removes x from its list, if it is in one.
func (x *exchange) drop() {
	d := x.deadline
	if d == nil {
		return
	}
	if x.before != nil {
		x.before.after = x.after
	} else {
		d.head = x.after
	}
	if x.after != nil {
		x.after.before = x.before
	} else {
		d.tail = x.before
	}
	x.deadline, x.before, x.after = nil, nil, nil
}

// due returns when the list's first exchange is late: the first nanosecond
// after its timeout.
func (d *deadline) due() int64 {
	if d.head == nil {
		return math.MaxInt64
	}
	return d.head.since + d.timeout + 1
}

// deadlineOf returns the list of a timeout.
func (a *Analyzer) deadlineOf(timeout int64) *deadline {
	i := slices.IndexFunc(a.deadlines, func(d *deadline) bool { return d.timeout == timeout })
	if i < 0 {
		i = len(a.deadlines)
		a.deadlines = append(a.deadlines, &deadline{timeout: timeout})
	}
	return a.deadlines[i]
}

// next returns when the next action is due, and the action.
func (a *Analyzer) next() (due int64, fire func()) {
	due = math.MaxInt64
	for _, d := range a.deadlines {
		if t := d.due(); t < due {
			due, fire = t, func() { a.markLate(d.head) }
		}
	}
	if a.growing > 0 {
		for _, c := range a.live {
			for _, st := range c.streams {
				if st != nil && st.stallAt != 0 && st.stallAt < due {
					due, fire = st.stallAt, st.stalled
				}
			}
		}
	}
	if len(a.timers) > 0 && a.timers[0].t < due {
		due, fire = a.timers[0].t, a.wake
	}
	return due, fire
}

// advance moves the clock to t and runs the actions that are due until then.
func (a *Analyzer) advance(t int64) {
	if t <= a.clock {
		return
	}
	if t >= a.quiet {
		a.until = t
		for {
			due, fire := a.next()
			a.quiet = due
			if due > t {
				break
			}
			a.clock = max(a.clock, due)
			fire()
		}
	}
	a.clock = max(a.clock, t)
}

// dueBy records that something is due at t, for the next advance.
func (a *Analyzer) dueBy(t int64) { a.quiet = min(a.quiet, t) }

// wake passes the first timer to the checkers. A timer without a key is a
// connection's own.
func (a *Analyzer) wake() {
	t := heap.Pop(&a.timers).(timer)
	c := a.conns[t.conn]
	if t.key == (TimerKey{}) {
		if c != nil {
			c.endIfOver()
		}
		return
	}
	ev := a.event(Timer, c)
	ev.Timer = t.key
	a.emit()
}

// reporter is the Analyzer as checkers see it.
type reporter Analyzer

// Report adds a finding.
func (r *reporter) Report(f Finding) { (*Analyzer)(r).report(f) }

// At requests a Timer event. A time that has passed is the next nanosecond.
func (r *reporter) At(t int64, conn int, key TimerKey) {
	(*Analyzer)(r).wakeAt(max(t, r.clock+1), conn, key)
}

// wakeAt adds a timer.
func (a *Analyzer) wakeAt(t int64, conn int, key TimerKey) {
	if len(a.timers) >= maxTimers {
		return
	}
	a.timerSeq++
	heap.Push(&a.timers, timer{t, a.timerSeq, conn, key})
	a.dueBy(t)
}
