package recorder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"

	"wiretea/session"
)

// Bounds of reading ahead: how many records are in a batch, and how many bytes these have. A
// log that is shorter than worthAhead, in bytes, is read by one goroutine.
const (
	aheadRecords = 256
	aheadBytes   = 256 << 10
	worthAhead   = 1 << 20
)

// Work is what can be found out about a record without those before it. What it finds is
// left in out, whose memory is used again.
type Work[T any] func(rec *session.Record, line []byte, out *T)

// Ahead reads a log from where r is to its present end, and calls take for each record, in
// their order, with what a Work found. For a long log other goroutines read and work a few
// batches ahead. They have ended when Ahead returns. Each calls work once, so that its Work
// may have memory of its own. Rec, line and out are valid until take returns; line is nil
// unless lines is set.
//
// Ahead returns nil at the end, ctx's error, that of take, or why the log cannot be read.
func Ahead[T any](ctx context.Context, r *Reader, lines bool, work func() Work[T], take func(rec *session.Record, line []byte, out *T) error) error {
	size := 0
	if runtime.GOMAXPROCS(0) > 1 && r.log.Size() >= worthAhead {
		size = aheadRecords
	}
	return readAhead(ctx, r, size, lines, work, take)
}

// readAhead is Ahead with batches of size records; 0 = without other goroutines.
func readAhead[T any](ctx context.Context, r *Reader, size int, lines bool, work func() Work[T], take func(rec *session.Record, line []byte, out *T) error) error {
	if size == 0 {
		return readAlone(ctx, r, work(), take)
	}
	workers := runtime.GOMAXPROCS(0)
	batches := workers + 2
	a := ahead[T]{free: make(chan *aheadBatch[T], batches), todo: make(chan *aheadBatch[T], batches), read: make(chan *aheadBatch[T], batches)}
	for range batches {
		a.free <- &aheadBatch[T]{records: make([]aheadRecord[T], size), done: make(chan struct{}, 1)}
	}
	var all sync.WaitGroup
	defer all.Wait()
	defer close(a.free)
	all.Go(func() { a.readAll(r, lines) })
	for range workers {
		all.Go(func() {
			own := work()
			for b := range a.todo {
				b.work(own)
				b.done <- struct{}{}
			}
		})
	}
	for b := range a.read {
		<-b.done
		for i := range b.n {
			rec := &b.records[i]
			if err := take(&rec.Record, rec.line, &rec.out); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(b.err, io.EOF):
			return nil
		case b.err != nil:
			return b.err
		case ctx.Err() != nil:
			return ctx.Err()
		}
		a.free <- b
	}
	return nil
}

// readAlone is readAhead without other goroutines.
func readAlone[T any](ctx context.Context, r *Reader, work Work[T], take func(rec *session.Record, line []byte, out *T) error) error {
	var rec session.Record
	var out T
	for n := 1; ; n++ {
		switch err := r.Next(&rec); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		work(&rec, r.Line(), &out)
		if err := take(&rec, r.Line(), &out); err != nil {
			return err
		}
		if n%aheadRecords == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// An ahead is the way of batches: free, to read, to do and read at once, free again. Each
// channel has room for all of them.
type ahead[T any] struct{ free, todo, read chan *aheadBatch[T] }

// An aheadBatch is a run of records with what was found of them.
type aheadBatch[T any] struct {
	records []aheadRecord[T]
	n       int
	memory  []byte        // memory is what lines and records point to.
	err     error         // err is why there are no more after these; nil = there may be.
	done    chan struct{} // done: the work is done.
}

type aheadRecord[T any] struct {
	session.Record
	line []byte
	out  T
}

// readAll reads batches until the log has ended or no more are wanted.
func (a *ahead[T]) readAll(r *Reader, lines bool) {
	defer close(a.read)
	defer close(a.todo)
	for b := range a.free {
		b.fill(r, lines)
		last := b.err != nil // The work may have an error of its own.
		a.todo <- b
		a.read <- b
		if last {
			return
		}
	}
}

// fill reads records.
func (b *aheadBatch[T]) fill(r *Reader, lines bool) {
	defer b.guard()
	for b.n, b.memory = 0, b.memory[:0]; b.n < len(b.records) && len(b.memory) < aheadBytes; b.n++ {
		rec := &b.records[b.n]
		if b.err = r.Next(&rec.Record); b.err != nil {
			return
		}
		parts := []*[]byte{&rec.Body, &rec.Term, &rec.Pre, &rec.Post}
		if lines {
			rec.line = b.keep(r.Line())
			if at := VerbatimAt(&rec.Record, r.Line()); at > 0 {
				rec.Body = rec.line[at : at+len(rec.Body)]
				parts = parts[1:]
			}
		}
		for _, p := range parts {
			*p = b.keep(*p)
		}
	}
}

// work has each record worked on.
func (b *aheadBatch[T]) work(work Work[T]) {
	defer b.guard()
	for i := range b.n {
		rec := &b.records[i]
		work(&rec.Record, rec.line, &rec.out)
	}
}

// guard makes a panic of a decoder an error of the log.
func (b *aheadBatch[T]) guard() {
	if p := recover(); p != nil {
		b.n, b.err = 0, fmt.Errorf("internal error: %v", p)
	}
}

// keep copies bytes of the Reader. What was kept before stays where it is when the memory
// grows.
func (b *aheadBatch[T]) keep(p []byte) []byte {
	if p == nil {
		return nil
	}
	from := len(b.memory)
	b.memory = append(b.memory, p...)
	return b.memory[from:len(b.memory):len(b.memory)]
}
