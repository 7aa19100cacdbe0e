package recorder

import (
	"context"
	"fmt"
	"runtime"

	"wiretea/session"
)

// Bounds of reading ahead: how many records are in a batch, how many bytes these have, and how
// many batches there are. A log that is shorter than worthAhead, in bytes, is not read ahead.
const (
	aheadRecords = 256
	aheadBytes   = 256 << 10
	aheadBatches = 4
	worthAhead   = 1 << 20
)

// An aheadBatch is a run of records that were read and decoded.
type aheadBatch struct {
	records []session.Record
	decoded []session.Decoded
	n       int
	memory  []byte // memory is what the records' bytes point to.
	err     error  // err is why there are no more after these; nil = there may be.
}

// ahead feeds the analyzer the records up to the log's present end, which another goroutine
// reads and decodes in batches of at most size, so that this one only judges. It returns io.EOF at the end, or why the
// log could not be read, or ctx's error. The goroutine has ended when it returns.
func (f *Follower) ahead(ctx context.Context, r *Reader, size int) error {
	full, free := make(chan *aheadBatch, aheadBatches), make(chan *aheadBatch, aheadBatches)
	for range aheadBatches {
		free <- &aheadBatch{records: make([]session.Record, size), decoded: make([]session.Decoded, size)}
	}
	go func() {
		defer close(full)
		var dec session.Decoder
		for b := range free {
			b.read(r, &dec)
			full <- b // There is room for every batch.
			if b.err != nil {
				return
			}
		}
	}()
	defer func() {
		close(free)
		for range full {
		}
	}()
	fed := 0
	for b := range full {
		for i := range b.n {
			f.Analyzer.Add(&b.records[i])
		}
		if b.err != nil {
			return b.err
		}
		if fed += b.n + len(b.memory)>>8; fed >= batch {
			fed = 0
			f.moved()
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		free <- b
	}
	return nil
}

// read fills a batch. A panic of the decoders is an error of the log.
func (b *aheadBatch) read(r *Reader, dec *session.Decoder) {
	defer func() {
		if p := recover(); p != nil {
			b.err = fmt.Errorf("internal error: %v", p)
		}
	}()
	for b.n, b.memory = 0, b.memory[:0]; b.n < len(b.records) && len(b.memory) < aheadBytes; b.n++ {
		rec := &b.records[b.n]
		if b.err = r.Next(rec); b.err != nil {
			return
		}
		for _, p := range []*[]byte{&rec.Body, &rec.Term, &rec.Pre, &rec.Post} {
			*p = b.keep(*p)
		}
		dec.Decode(rec, &b.decoded[b.n])
	}
}

// keep copies bytes of the Reader. What was kept before stays where it is when the memory
// grows.
func (b *aheadBatch) keep(p []byte) []byte {
	if p == nil {
		return nil
	}
	from := len(b.memory)
	b.memory = append(b.memory, p...)
	return b.memory[from:len(b.memory):len(b.memory)]
}

// worthwhile reports whether reading ahead costs less than it saves.
func worthwhile(log Log) bool { return runtime.GOMAXPROCS(0) > 1 && log.Size() >= worthAhead }
