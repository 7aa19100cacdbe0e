package transport

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"wiretea/session"
)

// An injector is the gate in the stream to the server. One goroutine writes at a time:
// the relay, or a call of put, which puts a line between two of the client's.
type injector struct {
	mu        sync.Mutex
	relay     *Relay // relay is nil before the stream is open.
	writing   bool   // writing: the relay or a put writes, or is about to.
	atLineEnd bool   // atLineEnd: what was written ends with a line.
	closed    bool
	waiting   []chan struct{} // waiting are the puts that wait for the end of a line; one is closed when it may write.
	relayNext chan struct{}   // relayNext is closed when the relay, which waits, may write; nil = it does not wait.
	relayHas  bool            // relayHas: the relay may write. Only the relay uses it.
}

func (in *injector) open(r *Relay) {
	in.mu.Lock()
	in.relay = r
	in.mu.Unlock()
}

// carry forwards a chunk of the client's. If a put waits and the chunk ends in the
// middle of a line, it is split after the last line that ends in it.
func (in *injector) carry(r *Relay, chunk []byte) (over bool, err error) {
	if in.relayAcquire() {
		// The search is only for that case: for all bytes it would cost as much as all
		// the rest.
		if i := bytes.LastIndexByte(chunk, '\n') + 1; i > 0 && i < len(chunk) {
			over, err = r.forward(chunk[:i], session.Crossed)
			if over {
				return over, err
			}
			in.relayRelease(true)
			in.relayAcquire()
			chunk = chunk[i:]
		}
	}
	over, err = r.forward(chunk, session.Crossed)
	if !over {
		in.relayRelease(chunk[len(chunk)-1] == '\n')
	}
	return over, err
}

// carryLines forwards whole lines of the client's, or what stands in their place. d is nil
// for those that nobody decided on.
func (in *injector) carryLines(r *Relay, p []byte, way session.Way, d *session.Decided) (over bool, err error) {
	in.relayAcquire()
	if d == nil {
		over, err = r.forward(p, way)
	} else {
		over, err = r.forwardDecided(p, way, *d)
	}
	if !over {
		in.relayRelease(way == session.WayIn || p[len(p)-1] == '\n')
	}
	return over, err
}

// relayAcquire lets the relay write, and reports whether a put waits.
func (in *injector) relayAcquire() (wanted bool) {
	in.mu.Lock()
	if in.writing {
		back := make(chan struct{})
		in.relayNext = back
		in.mu.Unlock()
		<-back
		in.mu.Lock()
	}
	in.writing, in.relayHas = true, true
	wanted = len(in.waiting) > 0
	in.mu.Unlock()
	return wanted
}

// relayRelease ends the writing of the relay. At the end of a line the next put may write.
func (in *injector) relayRelease(level bool) {
	in.mu.Lock()
	in.atLineEnd, in.writing, in.relayHas = level, false, false
	if level {
		in.grant()
	}
	in.mu.Unlock()
}

// grant lets the put write that waits longest; mu is held.
func (in *injector) grant() {
	if len(in.waiting) > 0 {
		in.writing = true
		close(in.waiting[0])
		in.waiting = slices.Delete(in.waiting, 0, 1)
	}
}

// quiet reports whether the stream is at the end of a line. Only the relay may call it.
func (in *injector) quiet() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.atLineEnd
}

// idle reports whether a put can write: the stream is at the end of a line, and the relay
// does not write. Only the relay may call it.
func (in *injector) idle() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.atLineEnd && !in.relayHas && !in.closed
}

// shut refuses all puts, once a line that is being written is written. The relay calls
// it, and nothing is written after it.
func (in *injector) shut() {
	if !in.relayHas {
		in.relayAcquire()
	}
	in.mu.Lock()
	in.closed = true
	for _, granted := range in.waiting {
		close(granted)
	}
	in.waiting = nil
	in.mu.Unlock()
}

// put is Gate.Put. d is nil for a line that the user sends.
func (in *injector) put(ctx context.Context, line []byte, d *session.Decided) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	// fullFor is how long a put waits for room at the end of a line. Until there is some,
	// the client cannot write either. In a flood that the server is slow to read, there is
	// hardly ever room at once.
	const fullFor = 10 * time.Millisecond
	for pause := time.Millisecond; ; pause = min(2*pause, 20*time.Millisecond) {
		if err := in.acquire(ctx); err != nil {
			return err
		}
		// A server that does not read must not keep the client from writing.
		if to := in.relay.to; to == nil {
			in.release()
			return ErrStreamEnded
		} else if writable(to, fullFor) {
			break
		}
		in.release()
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	defer in.release()
	return in.write(line, d)
}

// write writes a line.
func (in *injector) write(line []byte, d *session.Decided) error {
	r := in.relay
	if d == nil {
		r.beginWrite(r.Tap.Put(r.Conn, r.Stream, session.WayOut, line), len(line))
	} else {
		r.beginWrite(r.Tap.PutDecided(r.Conn, r.Stream, session.WayOut, *d, line), len(line))
	}
	n, err := r.to.Write(line)
	if err != nil {
		return errors.Join(ErrStreamEnded, r.broken(len(line)-n, err))
	}
	r.endWrite()
	r.Tap.Wake()
	return nil
}

// acquire waits until a put may write, at the end of a line.
func (in *injector) acquire(ctx context.Context) error {
	in.mu.Lock()
	if in.relay == nil || in.closed {
		in.mu.Unlock()
		return ErrStreamEnded
	}
	if in.atLineEnd && !in.writing {
		in.writing = true
		in.mu.Unlock()
		return nil
	}
	granted := make(chan struct{})
	in.waiting = append(in.waiting, granted)
	in.mu.Unlock()
	select {
	case <-granted:
	case <-ctx.Done():
		in.mu.Lock()
		i := slices.Index(in.waiting, granted)
		if i >= 0 {
			in.waiting = slices.Delete(in.waiting, i, i+1)
			in.mu.Unlock()
			return ctx.Err()
		}
		in.mu.Unlock() // It was granted in the same moment.
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.closed {
		return ErrStreamEnded
	}
	return nil
}

// release ends a put: the relay is next if it waits.
func (in *injector) release() {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.relayNext != nil {
		close(in.relayNext) // writing stays set, for the relay.
		in.relayNext = nil
		return
	}
	in.writing = false
	in.grant()
}
