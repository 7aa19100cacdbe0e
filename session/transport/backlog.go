package transport

import (
	"slices"
	"sync"
	"time"

	"wiretea/session"
)

// A backlog are lines of a Judge that wait for their place in a stream. They are written in
// their order, by a goroutine that ends when there are none, so that the other stream, in
// which they were decided on, does not wait for their reader.
type backlog struct {
	give func(line []byte, d *session.Decided) bool // give writes a line, or reports false: the stream is within a line.

	mu      sync.Mutex
	waiting []backLine
	size    int           // size is what waits, in bytes.
	later   []*lateLine   // later are those that wait for their time, the next one first.
	held    int           // held is their size, in bytes.
	turn    sync.Mutex    // turn is held while some of them are pushed, so that they stay in order.
	idle    chan struct{} // idle is closed when nothing waits any more; nil while nothing does.
	room    *sync.Cond
}

// A backLine is one of them.
type backLine struct {
	line    []byte
	d       *session.Decided
	written func() // written is called when it is written, or lost; nil does nothing.
}

// A lateLine is one that goes on later.
type lateLine struct {
	backLine
	due   time.Time
	timer *time.Timer
}

// after is push after a time, or at once where too much waits already.
func (b *backlog) after(d time.Duration, line []byte, about *session.Decided) *lateLine {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held+len(line) > maxBack || len(b.later) >= maxLate {
		d = 0
	}
	l := &lateLine{backLine: backLine{line: line, d: about}, due: time.Now().Add(d)}
	at, _ := slices.BinarySearchFunc(b.later, l.due, func(o *lateLine, due time.Time) int {
		if o.due.After(due) {
			return 1
		}
		return -1 // Of those with one time, the first to come is the first to go.
	})
	b.later = slices.Insert(b.later, at, l)
	b.held += len(line)
	l.timer = time.AfterFunc(d, func() { b.release(l.due) })
	return l
}

// take takes a line back that was to go on later, and reports whether it still was there.
func (b *backlog) take(l *lateLine) bool {
	b.turn.Lock()
	defer b.turn.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	at := slices.Index(b.later, l)
	if at < 0 {
		return false
	}
	l.timer.Stop()
	b.later = slices.Delete(b.later, at, at+1)
	b.held -= len(l.line)
	return true
}

// release pushes what is due at a time.
func (b *backlog) release(due time.Time) {
	b.turn.Lock()
	defer b.turn.Unlock()
	b.mu.Lock()
	n := 0
	for n < len(b.later) && !b.later[n].due.After(due) {
		b.held -= len(b.later[n].line)
		n++
	}
	late := slices.Clone(b.later[:n])
	b.later = slices.Delete(b.later, 0, n)
	b.mu.Unlock()
	for _, l := range late {
		b.push(l.line, l.d)
	}
}

// rush writes what goes on later at once, because the stream ends: it waits for rushWait at
// most. Unless it may write, all of it is lost.
func (b *backlog) rush(may bool) {
	b.turn.Lock()
	defer b.turn.Unlock()
	b.mu.Lock()
	late := b.later
	b.later, b.held = nil, 0
	b.mu.Unlock()
	for _, l := range late {
		l.timer.Stop()
		if may {
			b.push(l.line, l.d)
		}
	}
	b.mu.Lock()
	idle := b.idle
	b.mu.Unlock()
	if idle == nil || len(late) == 0 || !may {
		return
	}
	select {
	case <-idle:
	case <-time.After(rushWait):
	}
}

const (
	// rushWait is how long the end of a stream waits for what goes on later.
	rushWait = time.Second

	// maxBack is how much waits at most, in bytes: beyond it the stream waits after all, and
	// nothing is delayed. maxLate is how many lines are delayed at most.
	maxBack = 16 << 20
	maxLate = 10_000

	// backPause is how long to wait for the end of a line.
	backPause = 5 * time.Millisecond
)

// push adds a line, which must not be changed afterwards.
func (b *backlog) push(line []byte, d *session.Decided) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.room == nil {
		b.room = sync.NewCond(&b.mu)
	}
	for b.size > maxBack {
		b.room.Wait()
	}
	b.append(backLine{line: line, d: d})
}

// add is push for a line that was held: it takes no memory that it had not before, and does
// not wait.
func (b *backlog) add(l backLine) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.room == nil {
		b.room = sync.NewCond(&b.mu)
	}
	b.append(l)
}

// append adds a line; mu is held.
func (b *backlog) append(l backLine) {
	b.waiting = append(b.waiting, l)
	b.size += len(l.line)
	if b.idle == nil {
		b.idle = make(chan struct{})
		go b.run()
	}
}

// run writes what waits.
func (b *backlog) run() {
	for {
		b.mu.Lock()
		if len(b.waiting) == 0 {
			close(b.idle)
			b.idle = nil
			b.mu.Unlock()
			return
		}
		next := b.waiting[0]
		b.mu.Unlock()
		for !b.write(next) {
			time.Sleep(backPause)
		}
		b.mu.Lock()
		b.waiting[0] = backLine{}
		b.waiting = b.waiting[1:]
		b.size -= len(next.line)
		b.room.Broadcast()
		b.mu.Unlock()
		next.tell()
	}
}

// tell says that a line was written.
func (l *backLine) tell() {
	defer func() { _ = recover() }() // The line is written, and the traffic goes on.
	if l.written != nil {
		l.written()
	}
}

// write is give. After a panic the line is lost, and the traffic goes on.
func (b *backlog) write(l backLine) (done bool) {
	defer func() { done = done || recover() != nil }()
	return b.give(l.line, l.d)
}

// wait waits until nothing waits any more.
func (b *backlog) wait() {
	b.mu.Lock()
	idle := b.idle
	b.mu.Unlock()
	if idle != nil {
		<-idle
	}
}
