package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"wiretea/session/framing"
)

// queueLen is how many messages wait for a server that does not read. A sender
// then waits with them; answers to the server's own requests are dropped.
const queueLen = 256

// flushGrace is how long Close waits for queued messages to be written.
const flushGrace = time.Second

var errQueueFull = errors.New("server does not read its stdin")

// A writer owns the server's stdin. Its goroutine writes what is queued, in
// order, so that no caller hangs in a write to a server that does not read.
type writer struct {
	w       io.WriteCloser
	framing Framing
	queue   chan []byte
	quit    chan struct{} // quit is closed to have the queue written and w closed.
	done    chan struct{} // done is closed when the goroutine has ended.
	failed  func(error)   // failed is given the error of a write.
	stop    sync.Once
	shut    sync.Once
	shutErr error
}

func newWriter(w io.WriteCloser, f Framing, failed func(error)) *writer {
	out := &writer{
		w:       w,
		framing: f,
		queue:   make(chan []byte, queueLen),
		quit:    make(chan struct{}),
		done:    make(chan struct{}),
		failed:  failed,
	}
	go out.run()
	return out
}

func (o *writer) run() {
	defer close(o.done)
	defer o.closeStream()
	defer func() {
		if p := recover(); p != nil {
			o.failed(fmt.Errorf("internal error: %v", p))
		}
	}()
	for {
		select {
		case b := <-o.queue:
			if !o.write(b) {
				return
			}
		case <-o.quit:
			for {
				select {
				case b := <-o.queue:
					if !o.write(b) {
						return
					}
				default:
					return
				}
			}
		}
	}
}

func (o *writer) write(b []byte) bool {
	if _, err := o.w.Write(b); err != nil {
		o.failed(err)
		return false
	}
	return true
}

// frame returns one message as it is on the wire.
func (o *writer) frame(msg []byte) []byte {
	if o.framing == ContentLength {
		return framing.AppendContentLength(nil, msg)
	}
	return framing.AppendLine(nil, msg)
}

// put queues bytes that are framed already. It waits while the queue is full.
func (o *writer) put(ctx context.Context, b []byte) error {
	select {
	case <-o.quit:
		return io.ErrClosedPipe
	case <-o.done:
		return io.ErrClosedPipe
	default:
	}
	select {
	case o.queue <- b:
		return nil
	case <-o.quit:
		return io.ErrClosedPipe
	case <-o.done:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// offer queues a message unless that would mean waiting.
func (o *writer) offer(msg []byte) error {
	select {
	case o.queue <- o.frame(msg):
		return nil
	default:
		return errQueueFull
	}
}

// close ends the goroutine and closes the stream, by force when a write hangs.
func (o *writer) close() error {
	o.stop.Do(func() { close(o.quit) })
	select {
	case <-o.done:
	case <-time.After(flushGrace):
	}
	return o.closeStream()
}

func (o *writer) closeStream() error {
	o.shut.Do(func() { o.shutErr = o.w.Close() })
	return o.shutErr
}
