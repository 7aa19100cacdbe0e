package recorder

import (
	"cmp"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"wiretea/session"
	"wiretea/session/framing"
)

// A Source hands out what the tap of a session saw, in order.
type Source interface {
	// Take returns what came since the last call and waits until there is
	// something, at most for the timeout; 0 means for ever. After the timeout
	// it returns an empty batch and no error; once the session is over and
	// everything was taken, io.EOF. The batch and its data are valid until the
	// next call. backlog is how many bytes wait behind the batch.
	Take(timeout time.Duration) (batch []session.Observation, backlog int64, err error)
}

const (
	flushAfter    = int64(500 * time.Millisecond) // age at which an unterminated line is written as a raw record
	clockEvery    = int64(10 * time.Second)       // interval of the clk records
	maxSkew       = int64(250 * time.Millisecond) // difference of the clocks that causes a clk record
	syncEvery     = int64(time.Second)            // interval of syncs, and of new attempts after an error
	syncPause     = int64(20 * time.Millisecond)  // pause of the traffic that a sync waits for,
	syncLatest    = int64(5 * time.Second)        // until so much time has passed since the one before,
	syncBytes     = int64(512 << 20)              // or so much traffic
	bulkFrom      = int64(64 << 20)               // backlog above which short frames are written raw; see Options.Bulk
	bulkExpedited = int64(1 << 20)                // the same after Expedite
	flushAt       = 1 << 20                       // size of a batch that is written before its end
	idleAfter     = int64(4 << 20)                // how much passes before Options.Idle is called, see Writer.idleAt
	idlePause     = int64(time.Second)            // how long nothing comes then
)

// Options are a Writer's clocks. The zero value is good.
type Options struct {
	// Now is the session's time in nanoseconds, on the clock of the
	// observations; nil = monotonic time since the header's T0.
	Now func() int64

	// Wall is the wall clock; nil = time.Now.
	Wall func() time.Time

	// Bulk is the backlog, in bytes, from which on short frames, whose records cost
	// more than they do, are written raw together; 0 = 64 MiB.
	Bulk int64

	// Yield lets the traffic go first: Run's work has a lower priority, where a
	// thread can have one, until much waits to be recorded.
	Yield bool

	// Changed is called from Run, in one goroutine at a time, when the session's place changes:
	// with the reason when it has to go on elsewhere, and with nil when its
	// file is being written again. Nil = no call.
	Changed func(reason error)

	// Idle is called from Run when nothing came for a second after much had. Nil = no
	// call.
	Idle func()
}

// A Writer records one session. It frames what the tap saw and writes whole
// records into its Sink, one write a batch. Its memory is bounded: a frame is
// held back while it is shorter than 1 MiB and younger than 500 ms.
type Writer struct {
	sink      *Sink
	opt       Options
	why       atomic.Pointer[string]
	expedited atomic.Bool
	yields    bool   // yields: the traffic goes first, see giveWay.
	buf       []byte // records not yet written
	n         uint64 // number of the latest record
	streams   []*streamWriter
	spare     []*streamWriter       // spare are the writers of streams that have ended.
	trips     map[int]*session.Trip // trips are the round trips that have not ended, by their number.
	losses    lossLedger
	decided   session.Observation // decided is what was decided on the bytes that come next; zero = nothing was.
	marks     marks

	keeper    Keeper   // keeper is the source, where that is one; nil = it is not.
	batch     uint64   // batch counts the batches.
	chunkData []byte   // chunkData is what the splitter was given.
	vector    [][]byte // vector is reused.

	cur     *streamWriter // the stream whose pieces the splitter gives out
	pending *streamWriter // the stream that has bulk bytes waiting, nil = none
	bulk    bool          // the backlog is so long that short frames are not framed
	emit    func(framing.Piece)

	idleAt int64 // idleAt is what had passed at the latest call of Options.Idle, in bytes and 1 KiB a record.

	end      session.End
	latest   int64 // latest is when something came the last time.
	lastSync int64
	synced   int64         // synced is how many bytes had passed at the latest sync
	looked   int64         // looked is when watchPlace was called
	dirty    bool          // dirty: something was written since lastSync
	lastClk  int64         // session time of the latest clk record, or of the header
	skew     time.Duration // wall minus session time at that moment
	t0       time.Time
}

// NewWriter returns a Writer and writes the header at once, before the session
// does anything. It fills in the header's format, version and, where it is
// empty, T0. The Sink belongs to the Writer until Run has returned.
func NewWriter(sink *Sink, hdr session.Header, opt Options) *Writer {
	if hdr.T0.IsZero() {
		hdr.T0 = time.Now()
	}
	t0 := hdr.T0
	if opt.Now == nil {
		opt.Now = func() int64 { return int64(time.Since(t0)) }
	}
	opt.Bulk = cmp.Or(opt.Bulk, bulkFrom)
	if opt.Wall == nil {
		opt.Wall = time.Now
	}
	if opt.Changed == nil {
		opt.Changed = func(error) {}
	}
	w := &Writer{sink: sink, opt: opt, t0: t0.Round(0)}
	w.emit = w.piece
	w.lastClk, w.lastSync, w.latest = opt.Now(), opt.Now(), opt.Now()
	w.skew = w.skewNow(w.lastClk)
	w.buf = appendHeader(w.buf, &hdr)
	w.commit()
	return w
}

// SetWhy sets why the session ends: eof, exit, signal, quit or error. It may be
// called from any goroutine; the last call before the source ends counts, and
// without a call it is eof.
func (w *Writer) SetWhy(why string) { w.why.Store(&why) }

// Expedite shortens the shutdown: the backlog is written as raw records, all but its
// last MiB, and Run does not wait for a sync. It may be called from any goroutine.
func (w *Writer) Expedite() { w.expedited.Store(true) }

// Asked returns the number of the call to the disk in progress, 0 while there is none:
// the same number for a long time means that the disk does not respond. It may be
// called from any goroutine.
func (w *Writer) Asked() uint64 {
	n := w.sink.calls.Load()
	return n * (n % 2)
}

// Run records what the source has until it ends, then closes the record. It
// returns the source's error, nil for io.EOF. A disk that fails is not an error: see
// Options.Changed and Sink.Reason.
//
// When it panics, the file is released as it is, without an end.
func (w *Writer) Run(src Source) error {
	whole := false
	defer func() {
		if !whole {
			w.sink.finish(false)
		}
	}()
	err := w.run(src)
	whole = true
	return err
}

func (w *Writer) run(src Source) error {
	w.keeper, _ = src.(Keeper)
	if w.opt.Yield {
		if done, err := w.yield(src); done {
			return err
		}
	}
	_, err := w.record(src, func(int64) bool { return true })
	return err
}

// record records until the source ends, which it reports, or until on reports false for
// the bytes that wait behind a batch.
func (w *Writer) record(src Source, on func(backlog int64) bool) (done bool, err error) {
	for {
		batch, backlog, err := src.Take(w.timeout())
		w.batch++
		w.retryFile(false)
		w.bulk = backlog > w.opt.Bulk || backlog > bulkExpedited && w.expedited.Load()
		for i := range batch {
			w.observe(&batch[i])
			if len(w.buf) >= flushAt {
				w.commit()
			}
		}
		switch {
		case err != nil && !on(0):
			return false, nil // The source says it again.
		case err != nil:
			w.close(err)
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return true, err
		}
		w.tick(batch, backlog)
		w.commit()
		w.rest()
		if !on(backlog) {
			return false, nil
		}
	}
}

// rest calls Options.Idle, where that is due.
func (w *Writer) rest() {
	if !w.restless() || w.opt.Now()-w.latest < idlePause {
		return
	}
	w.idleAt, w.spare = w.used(), nil
	if cap(w.buf) > 2*flushAt {
		w.buf = nil
	}
	w.opt.Idle()
}

// restless reports whether Options.Idle is to be called in the next long pause.
func (w *Writer) restless() bool { return w.opt.Idle != nil && w.used()-w.idleAt > idleAfter }

// used is what has passed, in bytes and 1 KiB a record.
func (w *Writer) used() int64 { return w.end.Bytes + int64(w.n)<<10 }

// Lost returns, once Run has returned, how many bytes of the traffic the file
// lacks. A Sink that went on elsewhere may have them until it is closed.
func (w *Writer) Lost() int64 {
	return w.end.Lost + w.losses.bytes()
}

// observe takes one observation.
func (w *Writer) observe(o *session.Observation) {
	switch o.Kind {
	case session.ObsBytes:
		w.chunk(o)
	case session.ObsDecided:
		w.decided = *o
	case session.ObsPath:
		w.flushPending()
		w.buf = appendPath(w.buf, w.next(), max(1, o.Conn), o.T, &o.Path)
	case session.ObsIO:
		w.flushPending()
		if t := w.find(origin{conn: o.Conn}, o.Stream, session.Crossed); t != nil && (o.IO.Event == "eof" || o.IO.Event == "closed") {
			w.finishStream(t)
		}
		w.buf = appendIO(w.buf, w.next(), o.Conn, o.T, o.Stream, &o.IO)
	case session.ObsProc:
		w.flushPending()
		w.buf = appendProc(w.buf, w.next(), o.Conn, o.T, &o.Proc)
	case session.ObsHTTP:
		w.flushPending()
		w.http(o)
	case session.ObsGap:
		w.flushPending()
		at := w.originOf(o)
		if t := w.find(at, o.Stream, session.Crossed); t != nil {
			w.cutOff(t)
		}
		o.Gap.Stream = o.Stream
		w.end.Lost += o.Gap.Bytes
		w.buf = appendGap(w.buf, w.next(), at, o.T, &o.Gap)
	}
}

// next is the number of the next record.
func (w *Writer) next() uint64 {
	w.n++
	return w.n
}

// tick does what is due. The session's time is taken from the observations while more
// of them wait, so that a slow disk does not make a line look stuck.
func (w *Writer) tick(batch []session.Observation, backlog int64) {
	w.flushPending()
	now := w.opt.Now()
	seen := now
	if len(batch) > 0 {
		w.latest = now
	}
	if backlog > 0 && len(batch) > 0 {
		seen = batch[len(batch)-1].T
	}
	for _, t := range w.streams {
		if due, ok := t.due(); ok && seen >= due {
			// They have waited too long for the end of their frame.
			t.raw, t.partialRune = true, true
			t.takeHeld()
			w.flush(t, wholeRunes(t.buf))
		}
	}
	if apart := w.skewNow(now); now-w.lastClk >= clockEvery || (apart-w.skew).Abs() > time.Duration(maxSkew) {
		w.lastClk, w.skew = now, apart
		w.buf = appendClock(w.buf, w.next(), now, w.t0.Add(time.Duration(now)+apart))
	}
	if w.dirty && now-w.lastSync >= syncEvery {
		if now-w.looked >= syncEvery {
			w.looked = now
			w.watchPlace()
		}
		// A sync competes with the traffic for the CPUs, and the record waits for the disk then.
		if now-w.latest >= syncPause || now-w.lastSync >= syncLatest || w.end.Bytes-w.synced >= syncBytes {
			w.lastSync, w.synced, w.dirty = now, w.end.Bytes, false
			w.sink.sync()
		}
	}
}

// watchPlace notices that the file was deleted.
func (w *Writer) watchPlace() {
	if w.sink.deleted() {
		w.opt.Changed(ErrDeleted)
	}
}

// skewNow is how far the wall clock is ahead of the session's clock.
func (w *Writer) skewNow(now int64) time.Duration {
	return w.opt.Wall().Round(0).Sub(w.t0) - time.Duration(now)
}

// timeout is how long the Writer can sleep.
func (w *Writer) timeout() time.Duration {
	now := w.opt.Now()
	due := w.lastClk + clockEvery
	if w.dirty || w.sink.failing() {
		due = min(due, max(w.lastSync+syncEvery, w.latest+syncPause))
	}
	if w.restless() {
		due = min(due, w.latest+idlePause)
	}
	for _, t := range w.streams {
		if at, ok := t.due(); ok {
			due = min(due, at)
		}
	}
	return time.Duration(max(due-now, 1))
}

// commit writes the records that wait.
func (w *Writer) commit() {
	if len(w.buf) == 0 {
		return
	}
	w.giveWay()
	was := w.sink.failing()
	missed := w.sink.write(w.buf)
	w.dirty = true
	if missed > 0 {
		w.losses.add(w.buf[len(w.buf)-missed:])
		if !was {
			w.lastSync = w.opt.Now()
			w.opt.Changed(w.sink.Reason())
		}
	}
	w.buf = w.buf[:0]
	if cap(w.buf) > 2*flushAt {
		w.buf = nil
	}
}

// retryFile tries, once a second, to continue a file that failed: first come the
// records of events, and before the end of a stream what is missing of it, then a gap for
// each other stream of which bytes are missing.
func (w *Writer) retryFile(last bool) {
	if !w.sink.failing() || !last && w.opt.Now()-w.lastSync < syncEvery {
		return
	}
	now := w.opt.Now()
	w.lastSync = now
	for ; len(w.losses.events) > 0; w.losses.events = w.losses.events[1:] {
		e := w.losses.events[0]
		if e.gap != nil && !w.retryGap(e.gap, now) || e.gap == nil && !w.sink.retry(e.line) {
			return
		}
	}
	for ; len(w.losses.gaps) > 0; w.losses.gaps = w.losses.gaps[1:] {
		if !w.retryGap(&w.losses.gaps[0], now) {
			return
		}
	}
	w.losses = lossLedger{}
	if w.sink.retry(nil) {
		w.opt.Changed(nil)
	}
}

// retryGap writes what is missing of a stream, if the file takes it.
func (w *Writer) retryGap(g *streamGap, now int64) bool {
	if !w.sink.retry(appendGap(nil, w.next(), g.at, now, &g.gap)) {
		return false
	}
	w.end.Lost += g.gap.Bytes
	return true
}

// close writes what is left and the end record.
func (w *Writer) close(err error) {
	w.flushPending()
	for _, t := range w.streams {
		w.cutOff(t)
	}
	w.commit()
	w.sink.last()
	w.retryFile(true)
	w.end.Why = "eof"
	if !errors.Is(err, io.EOF) {
		w.end.Why = "error"
	}
	if why := w.why.Load(); why != nil {
		w.end.Why = *why
	}
	w.buf = appendEnd(w.buf, w.next(), w.opt.Now(), &w.end)
	w.commit()
	w.watchPlace()
	w.sink.finish(!w.expedited.Load())
}
