package transport

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"wiretea/session"
)

const (
	// DefaultBuffer is the most one read takes, in bytes: what a deep pipe holds.
	DefaultBuffer = 256 << 10

	// putBuffer is that of a stream into which Gate.Put writes: it waits until what was read
	// is written. With DefaultBuffer 40 requests of 8 viewers, while the client floods a slow
	// server, take 13 s; with this, 4 s.
	putBuffer = 64 << 10

	// DefaultStall is how long a write may take before it is recorded as
	// blocked.
	DefaultStall = time.Second
)

// ErrHangup is returned when the reader of a stream closed its end while the writer
// was silent.
var ErrHangup = errors.New("the reading end was closed")

// A Relay carries one stream. Its exported fields are set before Start.
//
// It records these events of its stream, with the side of the writer or the reader:
// eof (writer), when the writer closed its end; closed, when the stream ended without
// that, because its reader closed the other end (reader) or Release was called (server,
// which has ended then); blocked and unblocked (reader), when a write took longer than
// Stall; epipe (reader), with the number of bytes that were read and could not be
// forwarded. With a Gate also released (reader): a line was too long to be held, and
// that many bytes of it were forwarded.
type Relay struct {
	Tap    *Tap
	Conn   int // Conn is the connection, from 1.
	Stream session.Stream

	// Src and Dst are the two ends. The relay closes both. Closing one while it
	// is used must make the Read or Write return. A nil Dst observes only.
	Src io.ReadCloser
	Dst io.WriteCloser

	// Drain goes on reading after a write failed. Without it the relay closes
	// Src then, as the reader of a plain pipe would.
	Drain bool

	// OwnThread gives the relay a thread of its own, which blocks in the read where the
	// system allows that. It is for relays that live long and must add little latency.
	OwnThread bool

	// Gate acts on the stream; nil = nothing does. Stderr has none.
	Gate *Gate

	Buffer int           // Buffer is the most one read takes, in bytes; 0 means DefaultBuffer, or 64 KiB where Gate.Put writes.
	Stall  time.Duration // Stall is when a write counts as blocked; 0 means DefaultStall.

	done chan struct{}
	err  error          // err is set before done is closed.
	to   io.WriteCloser // to is Dst, nil once it cannot be written to any more.

	// writing is when the write in progress began, in nanoseconds of the session
	// plus one; 0 while there is none, negative once it was recorded as blocked.
	writing   atomic.Int64
	waiting   atomic.Int64 // waiting is the length of the chunk being written.
	latest    atomic.Int64 // latest is when the last chunk was read.
	stall     sync.Mutex   // stall orders the blocked event before its unblocked.
	abandoned atomic.Bool  // abandoned: Abandon was called.
	eof       atomic.Bool  // eof: the writer closed its end.
}

// Start begins to copy, in a goroutine that ends when the stream does.
func (r *Relay) Start() {
	r.done = make(chan struct{})
	r.latest.Store(r.Tap.Now())
	r.to = r.Dst
	if r.Gate != nil {
		r.Gate.open(r)
	}
	go r.run()
}

// Done is closed when the relay has ended and closed both ends.
func (r *Relay) Done() <-chan struct{} { return r.done }

// Err returns, after Done, why the stream could not be carried to its end; nil
// after eof, hang-up, Release, and a reader that went away.
func (r *Relay) Err() error { return r.err }

// EOF reports whether the writer has closed its end.
func (r *Relay) EOF() bool { return r.eof.Load() }

// Release ends the relay without waiting for the end of the stream: the rest is left
// unread.
func (r *Relay) Release() {
	r.Src.Close()
}

// Abandon closes the reader's end for a reason of ours: no epipe is recorded. With
// Drain, the stream is still observed.
func (r *Relay) Abandon() {
	r.abandoned.Store(true)
	if r.Dst != nil {
		r.Dst.Close()
	}
}

// Activity returns when the last chunk was read, in nanoseconds of the session
// (the start of the relay before the first), and whether it is being written
// still.
func (r *Relay) Activity() (latest int64, writing bool) {
	return r.latest.Load(), r.writing.Load() != 0
}

func (r *Relay) run() {
	defer close(r.done)
	stop, watched := make(chan struct{}), make(chan error, 1)
	go r.watch(stop, watched)
	defer func() {
		if p := recover(); p != nil {
			r.err = panicked("relay "+r.Stream.String(), p)
		}
		if r.Gate != nil {
			r.Gate.shut(r)
		}
		r.Src.Close()
		if r.Dst != nil {
			r.Dst.Close()
		}
		close(stop)
		r.err = errors.Join(r.err, <-watched)
		r.Tap.Wake()
	}()
	size := r.Buffer
	switch {
	case size > 0:
	case r.Gate != nil && r.Stream == session.C2S:
		size = putBuffer
	default:
		size = DefaultBuffer
	}
	r.err = r.copy(make([]byte, size))
}

// copy is the loop every byte passes: read, copy to the tap, write, wake.
func (r *Relay) copy(buf []byte) error {
	src, owns := r.Src.(owned)
	if owns = owns && r.OwnThread; owns {
		defer src.Own()()
	}
	renewed := r.latest.Load()
	for {
		n, err := r.Src.Read(buf)
		if n > 0 {
			if over, err := r.carry(buf[:n]); over {
				return err
			}
			if now := r.latest.Load(); owns && now-renewed >= int64(renewAfter) {
				renewed = now
				src.Renew()
			}
		}
		if err != nil {
			if r.Gate != nil {
				r.Gate.shut(r)
			}
			return r.ended(err)
		}
	}
}

// owned is a source that reads faster for one goroutine.
type owned interface {
	Own() (leave func())

	// Renew lets the runtime's scheduler see the goroutine. It is called between reads, see
	// renewAfter.
	Renew()
}

// renewAfter is how long a goroutine that has a thread of its own goes on without the
// runtime's scheduler. After 10 ms of short system calls the runtime's monitor takes it for
// one that computes, takes its processor away whenever it finds it in such a call, and looks
// again after 20 µs, as long as this goes on. Measured with Go 1.26: the monitor woke 2,000 to
// 4,000 times a second, and used 5 to 12 % of a tee's CPU time.
const renewAfter = 4 * time.Millisecond

// carry forwards a chunk, past the gate where there is one. It reports whether the
// stream is over.
func (r *Relay) carry(chunk []byte) (over bool, err error) {
	switch {
	case r.Gate == nil || r.Stream == session.Stderr:
		return r.forward(chunk, session.Crossed)
	case r.Stream == session.C2S:
		return r.Gate.carryC2S(r, chunk)
	default:
		return r.Gate.out.carry(r, chunk)
	}
}

// forward copies bytes to the tap and writes them, unless they end here. It
// reports whether the stream is over, because it cannot be forwarded any more.
func (r *Relay) forward(p []byte, way session.Way) (over bool, err error) {
	return r.pass(r.Tap.Put(r.Conn, r.Stream, way, p), p, way)
}

// forwardDecided is forward for lines that were decided on.
func (r *Relay) forwardDecided(p []byte, way session.Way, d session.Decided) (over bool, err error) {
	return r.pass(r.Tap.PutDecided(r.Conn, r.Stream, way, d, p), p, way)
}

// pass writes bytes that the tap took at a time, unless they end here.
func (r *Relay) pass(at int64, p []byte, way session.Way) (over bool, err error) {
	r.beginWrite(at, len(p))
	if r.to != nil && way != session.WayIn {
		if n, err := r.to.Write(p); err != nil {
			if err := r.broken(len(p)-n, err); err != nil || !r.Drain {
				return true, err
			}
			r.to = nil
		}
	}
	r.endWrite()
	r.Tap.Wake()
	return false, nil
}

// ended records why nothing more is read.
func (r *Relay) ended(err error) error {
	ev := session.IOEvent{Event: "eof", Side: r.writer()}
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		// A socket whose other end was closed with bytes unread says reset
		// where a pipe says end of file.
		err = nil
	case errors.Is(err, ErrHangup):
		ev, err = session.IOEvent{Event: "closed", Side: r.reader()}, nil
	case isClosed(err):
		ev, err = session.IOEvent{Event: "closed", Side: "server"}, nil
	default:
		ev.Event, err = "closed", fmt.Errorf("reading %s: %w", r.Stream, err)
	}
	r.eof.Store(ev.Event == "eof")
	r.Tap.IO(r.Conn, r.Stream, ev)
	return err
}

// broken records that bytes which were read could not be forwarded.
func (r *Relay) broken(n int, err error) error {
	r.endWrite()
	if r.abandoned.Load() {
		return nil
	}
	r.Tap.IO(r.Conn, r.Stream, session.IOEvent{Event: "epipe", Side: r.reader(), Bytes: int64(n)})
	if isBrokenPipe(err) || isClosed(err) {
		return nil
	}
	return fmt.Errorf("forwarding %s: %w", r.Stream, err)
}

func (r *Relay) beginWrite(t int64, n int) {
	r.latest.Store(t)
	r.waiting.Store(int64(n))
	r.writing.Store(t + 1)
}

func (r *Relay) endWrite() {
	if r.writing.Swap(0) >= 0 {
		return
	}
	r.stall.Lock()
	defer r.stall.Unlock()
	r.Tap.IO(r.Conn, r.Stream, session.IOEvent{Event: "unblocked", Side: r.reader()})
}

// watch observes the write in progress, so that the loop need not: it wakes the
// consumer for a chunk whose write is slow, and records a write that takes too long.
func (r *Relay) watch(stop <-chan struct{}, done chan<- error) {
	defer func() {
		var err error
		if p := recover(); p != nil {
			err = panicked("watch of "+r.Stream.String(), p)
		}
		done <- err
	}()
	stall := r.Stall
	if stall <= 0 {
		stall = DefaultStall
	}
	tick := time.NewTicker(max(stall/4, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
			r.checkWrite(stall)
		}
	}
}

func (r *Relay) checkWrite(stall time.Duration) {
	since := r.writing.Load()
	if since <= 0 {
		return
	}
	r.Tap.Wake()
	if r.Tap.Now()+1-since < int64(stall) {
		return
	}
	r.stall.Lock()
	defer r.stall.Unlock()
	n := r.waiting.Load()
	if r.writing.CompareAndSwap(since, -since) {
		r.Tap.IO(r.Conn, r.Stream, session.IOEvent{Event: "blocked", Side: r.reader(), Bytes: n})
	}
}

// writer and reader name the two sides of the stream.
func (r *Relay) writer() string {
	if r.Stream == session.C2S {
		return "client"
	}
	return "server"
}

func (r *Relay) reader() string {
	if r.Stream == session.C2S {
		return "server"
	}
	return "client"
}

func isClosed(err error) bool {
	return errors.Is(err, os.ErrClosed) || errors.Is(err, io.ErrClosedPipe)
}

func isBrokenPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET)
}

// panicked turns a recovered panic into an error of the goroutine's owner.
func panicked(what string, p any) error {
	return fmt.Errorf("internal error in %s: %v\n%s", what, p, debug.Stack())
}
