package transport

import (
	"cmp"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"wiretea/session"
)

// DefaultLimit is how much memory a Tap uses for what waits, in bytes.
const DefaultLimit = 80 << 20

// TapConfig configures a Tap.
type TapConfig struct {
	// Limit is the most memory, in bytes, that what waits may take, bookkeeping
	// included; 0 means DefaultLimit. At least 1 MiB is used.
	Limit int64

	// Lasting says that the tap is used until the process ends. The memory that its
	// traffic takes is kept for reuse, up to the Limit. On Linux it lies outside the
	// collector's heap, because a collection competes with the relays for the CPUs. If
	// Lasting is false, 4 MiB are kept.
	Lasting bool

	// BatchDelay is how long Take waits for more after a batch, so that dense traffic
	// comes out in fewer, longer batches and does not wake the consumer: a wake-up costs
	// who puts. 256 KiB of data, or an event of a stream or of the process, end the wait
	// within about a millisecond. 0 means none.
	BatchDelay time.Duration

	// Patience is how long who puts waits at the Limit for a consumer that is behind,
	// because the machine is busy. A consumer that has not freed 4 MiB by then is taken
	// to hang: nobody waits for it again until half the Limit is free. 0 means that
	// nobody waits, and that what exceeds the Limit is lost.
	Patience time.Duration
}

// freedAtOnce is how much the consumer frees before those who wait for it go on, in bytes.
const freedAtOnce = 4 << 20

const (
	// batchBytes is how much data ends a BatchDelay, in bytes: it is still in the cache then.
	batchBytes = 256 << 10

	// delayStep is after what time the consumer looks whether its BatchDelay is over. Where
	// nothing else runs, Go's runtime sleeps for a millisecond at least, in which a flood
	// brings 2 MiB.
	delayStep = 500 * time.Microsecond
)

// A Tap keeps a copy of what passed the relays until its one consumer takes it. Any
// number of goroutines may put; none of them waits for the consumer longer than Patience.
type Tap struct {
	clock      func() int64 // clock is nanoseconds since the session began, monotonic.
	limit      int64
	lasting    bool
	maxFree    int // maxFree is how many idle slabs are kept for reuse.
	batchDelay time.Duration
	patience   time.Duration
	marks      atomic.Int64  // marks is the latest mark.
	wake       chan struct{} // wake holds at most one token; it is sent to only while waiting.
	waiting    atomic.Bool   // waiting is set under mu: the consumer is to be woken for what waits.

	mu     sync.Mutex
	last   int64 // last is the latest time given out: time never runs backwards.
	closed bool
	unseen int64 // unseen is how many bytes were put since the consumer looked.
	urgent bool  // urgent: what waits ends a BatchDelay.
	head   *slab // head to tail wait, oldest first.
	tail   *slab
	held   int64     // held is the memory of the slabs that wait or are lent.
	waits  int64     // waits is the memory of those that wait.
	gaps   []openGap // gaps are those that wait and may still grow.
	free   *slab
	frees  int
	freed  chan struct{} // freed is closed when there is room again; nil while nobody waits for that.
	hangs  bool          // hangs: the consumer is not waited for.

	// The consumer's own.
	lent   *slab
	batch  []session.Observation
	served bool // served: the latest Take had something.
	dirty  bool // dirty: batch holds events, whose fields must be cleared before reuse.
}

// An openGap is the latest gap of one stream, while nothing of that stream was
// kept behind it and the consumer has not taken it.
type openGap struct {
	conn   int32
	stream session.Stream
	slab   *slab
	index  int
}

// NewTap returns an empty Tap of a session that began at t0. A t0 from time.Now makes
// its times monotonic.
func NewTap(t0 time.Time, cfg TapConfig) *Tap {
	clock := func() int64 { return int64(time.Since(t0)) }
	limit := cmp.Or(cfg.Limit, DefaultLimit)
	t := &Tap{clock: clock, limit: max(limit, 4*slabSize), lasting: cfg.Lasting, maxFree: defaultFree / slabSize, batchDelay: cfg.BatchDelay, patience: cfg.Patience, wake: make(chan struct{}, 1)}
	if t.lasting {
		t.maxFree = int(t.limit / slabSize)
	}
	return t
}

// Put copies a chunk that was just read from a stream, and returns the time it
// was given. It does not wake the consumer: Wake does, after the chunk was
// forwarded. Bytes beyond the limit are counted instead of kept. A long chunk may
// come out as several with the same time. After Close it does nothing. Bytes whose
// way is not Crossed are whole lines, put at the end of a line.
func (t *Tap) Put(conn int, s session.Stream, way session.Way, data []byte) int64 {
	return t.put(int32(conn), s, way, data)
}

// PutTrip is Put for a chunk of the body of a round trip: of its request, C2S, or of its
// response, S2C. Trips are numbered from 1 in their session.
func (t *Tap) PutTrip(trip int, s session.Stream, data []byte) int64 {
	return t.put(int32(-trip), s, session.Crossed, data)
}

// DropTrip counts bytes of a round trip's body that could not be kept; they come out as a
// gap.
func (t *Tap) DropTrip(trip int, s session.Stream, n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed && n > 0 {
		t.drop(t.now(), int32(-trip), s, n)
	}
}

// PutDecided is Put for whole lines that were decided on.
func (t *Tap) PutDecided(conn int, s session.Stream, way session.Way, d session.Decided, data []byte) int64 {
	return t.putDecided(int32(conn), s, way, d, data)
}

// PutTripDecided is PutTrip for a whole body, or for whole events, that were decided on.
func (t *Tap) PutTripDecided(trip int, s session.Stream, way session.Way, d session.Decided, data []byte) int64 {
	return t.putDecided(int32(-trip), s, way, d, data)
}

func (t *Tap) putDecided(conn int32, s session.Stream, way session.Way, d session.Decided, data []byte) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		o := session.Observation{Kind: session.ObsDecided, Stream: s, Way: way, Decided: d}
		if o.Conn = int(conn); conn < 0 {
			o.Conn, o.Trip = 0, int(-conn)
		}
		t.addEvent(o)
	}
	return t.putLocked(conn, s, way, data)
}

// Mark returns a mark that was not given before.
func (t *Tap) Mark() int64 { return t.marks.Add(1) }

// Path records an event of what decides on messages, and wakes the consumer.
func (t *Tap) Path(ev session.PathEvent) {
	t.event(session.Observation{Kind: session.ObsPath, Conn: 1, Path: ev})
}

// Cut records that a fault has acted on a connection itself: by says which.
func (t *Tap) Cut(conn int, by string) {
	t.event(session.Observation{Kind: session.ObsPath, Conn: conn, Path: session.PathEvent{Event: session.PathCut, What: "fault", Text: strings.TrimPrefix(by, "fault: ")}})
}

// put takes a chunk. A conn below 0 is a round trip.
func (t *Tap) put(conn int32, s session.Stream, way session.Way, data []byte) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.putLocked(conn, s, way, data)
}

// putLocked is put; mu is held.
func (t *Tap) putLocked(conn int32, s session.Stream, way session.Way, data []byte) int64 {
	now := t.now()
	if t.closed {
		return now
	}
	t.unseen += int64(len(data))
	t.urgent = t.urgent || t.unseen >= batchBytes
	for len(data) > 0 && !t.closed {
		slab := t.room()
		if slab == nil && t.await() {
			now = t.now()
			continue
		}
		if slab == nil {
			t.drop(now, conn, s, int64(len(data)))
			return now
		}
		n := min(len(data), cap(slab.buf)-len(slab.buf))
		slab.buf = append(slab.buf, data[:n]...)
		t.add(slab, entry{t: now, n: int64(n), conn: conn, kind: session.ObsBytes, stream: s, way: way})
		data = data[n:]
		if len(t.gaps) > 0 {
			t.closeGap(conn, s)
		}
	}
	return now
}

// await waits at the limit for the consumer, and reports whether there may be room now. mu
// is held, but not meanwhile.
func (t *Tap) await() bool {
	if t.patience == 0 || t.hangs || t.closed {
		return false
	}
	if t.freed == nil {
		t.freed = make(chan struct{})
	}
	freed := t.freed
	t.mu.Unlock()
	defer t.mu.Lock()
	t.Wake()
	timer := time.NewTimer(t.patience)
	defer timer.Stop()
	select {
	case <-freed:
		return true
	case <-timer.C:
	}
	t.mu.Lock()
	t.hangs = true
	t.mu.Unlock()
	return false
}

// announceRoom wakes the calls of await when freedAtOnce is free, or when the consumer has taken
// everything: it then keeps the rest of the memory for a line whose end is to come. mu is held.
func (t *Tap) announceRoom() {
	t.hangs = t.hangs && t.held > t.limit/2
	room := t.limit - t.held
	if t.freed != nil && (t.closed || room >= min(freedAtOnce, t.limit/2) || t.head == nil && room >= slabSize) {
		close(t.freed)
		t.freed = nil
	}
}

// IO records an event of a stream, and wakes the consumer.
func (t *Tap) IO(conn int, s session.Stream, ev session.IOEvent) {
	t.event(session.Observation{Kind: session.ObsIO, Conn: conn, Stream: s, IO: ev})
}

// Proc records an event of a process, and wakes the consumer.
func (t *Tap) Proc(conn int, ev session.Proc) {
	t.event(session.Observation{Kind: session.ObsProc, Conn: conn, Proc: ev})
}

// HTTP records an event of a round trip, and wakes the consumer. The event is the tap's.
func (t *Tap) HTTP(trip int, ev *session.HTTPEvent) {
	t.event(session.Observation{Kind: session.ObsHTTP, Trip: trip, HTTP: ev})
}

func (t *Tap) event(o session.Observation) {
	t.mu.Lock()
	if !t.closed {
		if o.Kind == session.ObsIO {
			t.closeGap(int32(o.Conn), o.Stream)
		}
		t.urgent = t.urgent || o.Kind != session.ObsHTTP // Those of round trips are as many as chunks.
		t.addEvent(o)
	}
	t.mu.Unlock()
	t.Wake()
}

// addEvent adds an event, whatever the limit; mu is held.
func (t *Tap) addEvent(o session.Observation) {
	o.T = t.now()
	slab := t.tail
	if slab == nil {
		slab = t.grow()
	}
	slab.events = append(slab.events, o)
	t.add(slab, entry{t: o.T, n: int64(len(slab.events) - 1), conn: int32(o.Conn), kind: o.Kind, stream: o.Stream})
}

// Now returns the session's time.
func (t *Tap) Now() int64 { return t.clock() }

// Wake lets the consumer see what was put before. Calls between two Takes count
// as one.
func (t *Tap) Wake() {
	if !t.waiting.Load() {
		return
	}
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// Close ends the tap: what is put later is ignored, and Take returns io.EOF once
// what waits was taken.
func (t *Tap) Close() {
	t.mu.Lock()
	t.closed = true
	t.announceRoom()
	t.mu.Unlock()
	t.Wake()
}

// Take returns what was put, oldest first, at most 256 KiB at a time, and waits
// for something if there is nothing: for the timeout, or for ever where that is
// 0. After the timeout it returns an empty batch and no error, after Close and
// the last batch io.EOF. The batch and its Data are valid until the next Take.
// The backlog is what waits behind this batch, in bytes of memory: the data and
// 24 bytes a chunk. Only one goroutine may call it.
func (t *Tap) Take(timeout time.Duration) (batch []session.Observation, backlog int64, err error) {
	t.delay(timeout)
	var expired <-chan time.Time
	for {
		slab, backlog, err := t.next()
		if slab != nil || err != nil {
			return t.read(slab), backlog, err
		}
		if expired == nil && timeout > 0 {
			timer := time.NewTimer(timeout)
			defer timer.Stop()
			expired = timer.C
		}
		select {
		case <-t.wake:
		case <-expired:
			slab, backlog, err := t.next()
			return t.read(slab), backlog, err
		}
	}
}

// delay returns what was lent, and waits for a BatchDelay if one is due.
func (t *Tap) delay(timeout time.Duration) {
	t.mu.Lock()
	t.takeBack()
	t.mu.Unlock()
	if !t.served {
		return
	}
	wait := t.batchDelay
	if timeout > 0 {
		wait = min(wait, timeout)
	}
	for end := time.Now().Add(wait); wait > 0 && !t.due(); wait = time.Until(end) {
		time.Sleep(min(wait, delayStep))
	}
}

// due reports whether what waits ends a BatchDelay.
func (t *Tap) due() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.urgent || t.closed
}

// next lends the oldest slab, or announces that the consumer waits.
func (t *Tap) next() (*slab, int64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.head
	t.served = s != nil
	t.waiting.Store(s == nil)
	if s == nil {
		if t.closed {
			return nil, 0, io.EOF
		}
		t.announceRoom()
		return nil, 0, nil
	}
	t.head, s.next = s.next, nil
	if t.head == nil {
		t.tail = nil
	}
	t.unseen, t.urgent = 0, t.head != nil
	t.gaps = dropTaken(t.gaps, s)
	t.lent, s.shares = s, 1
	t.waits -= s.cost()
	backlog := t.waits
	if t.tail != nil {
		backlog -= int64(cap(t.tail.buf) - len(t.tail.buf))
	}
	return s, backlog, nil
}

// Behind reports whether the consumer has not come back yet for what was put: some of it waits,
// or was taken by the latest Take.
func (t *Tap) Behind() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.head != nil || t.lent != nil
}

// takeBack takes back what was lent; mu is held.
func (t *Tap) takeBack() {
	if t.lent != nil {
		t.unshare(t.lent)
		t.lent = nil
	}
}

// Keep makes the data of the latest batch stay valid until what it returns is
// closed. It counts as memory until then. Only the consumer may call it, after a
// Take that returned something.
func (t *Tap) Keep() io.Closer {
	t.mu.Lock()
	t.lent.shares++
	t.mu.Unlock()
	return t.lent
}

// read turns a slab into observations.
func (t *Tap) read(s *slab) []session.Observation {
	if t.dirty {
		clear(t.batch)
		t.dirty = false
	}
	t.batch = t.batch[:0]
	if s == nil {
		return t.batch
	}
	data := s.buf
	for _, e := range s.entries {
		if len(t.batch) == cap(t.batch) {
			t.batch = append(t.batch, session.Observation{})
		} else {
			t.batch = t.batch[:len(t.batch)+1]
		}
		o := &t.batch[len(t.batch)-1]
		switch e.kind {
		case session.ObsIO, session.ObsProc, session.ObsHTTP, session.ObsDecided, session.ObsPath:
			*o = s.events[e.n]
			t.dirty = true
			continue
		case session.ObsGap:
			o.Gap = session.Gap{Stream: e.stream, Bytes: e.n, Frames: -1, Why: "memory"}
			o.Data = nil
			t.dirty = true
		case session.ObsBytes:
			o.Data, data = data[:e.n:e.n], data[e.n:]
		}
		o.Kind, o.Stream, o.Way, o.T = e.kind, e.stream, e.way, e.t
		if o.Conn, o.Trip = int(e.conn), 0; e.conn < 0 {
			o.Conn, o.Trip = 0, int(-e.conn)
		}
	}
	return t.batch
}

// now returns the time of what is put now; mu is held, so that order and time
// agree.
func (t *Tap) now() int64 {
	t.last = max(t.last, t.clock())
	return t.last
}
