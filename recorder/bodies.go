package recorder

import (
	"io"
	"slices"

	"wiretea/session"
)

const (
	farAhead   = 256 << 10 // bytes of the log over which records are skipped one by one
	cachedRaw  = 8         // how many raw records are kept
	mostCached = 4 << 20   // longest raw record that is kept, in bytes
)

// A Bodies reads the bodies of many rows of a log. It is made for rows that are asked for
// in about the order of the log: then every record is read once, in large blocks, however
// many rows it holds. It is used by one goroutine.
type Bodies struct {
	log Log
	r   *Reader
	rec session.Record // rec is the latest record of r; its Off is -1 before the first.
	raw []rawBody      // raw are the latest raw records, the oldest first.
}

// A rawBody is a raw record that is kept.
type rawBody struct {
	off   int64
	bytes []byte
}

// NewBodies returns a Bodies of a log.
func NewBodies(log Log) *Bodies { return &Bodies{log: log, rec: session.Record{Off: -1}} }

// Read is ReadFrame from the body's beginning. The result is valid until the next call.
func (b *Bodies) Read(row session.Row, limit int64) ([]byte, error) {
	size := min(int64(row.Len), max(limit, 0))
	if row.Flags&session.FlagRaw != 0 && row.Flags&session.FlagEvent == 0 {
		if raw, from := b.rawAt(row.Off), int64(row.Skip); from+size <= int64(len(raw)) {
			return raw[from : from+size], nil
		}
	} else if row.Flags&session.FlagRaw == 0 && b.seek(row.Off) && b.rec.Kind == session.RecFrame {
		return b.rec.Body[:min(size, int64(len(b.rec.Body)))], nil
	}
	return ReadFrame(b.log, row, 0, limit) // It lies in several records, or cannot be read.
}

// ReadValue is the function of that name for rows of s. The result is valid until the next
// call.
func (b *Bodies) ReadValue(s *session.Snapshot, i uint32, limit int64) ([]byte, error) {
	if row := s.Row(i); row.Flags&session.FlagJoined == 0 && !row.Kind.Event() {
		return b.Read(row, limit)
	}
	return ReadValue(b.log, s, i, limit)
}

// Record returns the record at off, nil where there is none. It is valid until the next
// call.
func (b *Bodies) Record(off int64) *session.Record {
	if !b.seek(off) {
		return nil
	}
	return &b.rec
}

// rawAt returns the bytes of the raw record at off; nil where there is none.
func (b *Bodies) rawAt(off int64) []byte {
	for _, r := range b.raw {
		if r.off == off {
			return r.bytes
		}
	}
	if !b.seek(off) || b.rec.Kind != session.RecRaw {
		return nil
	}
	if len(b.rec.Body) > mostCached {
		return b.rec.Body
	}
	r := rawBody{off: off}
	if len(b.raw) == cachedRaw {
		r.bytes = b.raw[0].bytes[:0]
		b.raw = b.raw[:copy(b.raw, b.raw[1:])]
	}
	r.bytes = append(r.bytes, b.rec.Body...)
	b.raw = append(b.raw, r)
	return r.bytes
}

// seek makes the record at off the one at hand.
func (b *Bodies) seek(off int64) bool {
	if b.r != nil && b.rec.Off == off {
		return true
	}
	if b.r == nil || b.r.Offset() > off || off-b.r.Offset() > farAhead {
		b.r = NewReader(b.log, off)
	}
	for b.r.Offset() <= off {
		if b.r.Next(&b.rec) != nil {
			b.r, b.rec.Off = nil, -1
			return false
		}
	}
	return b.rec.Off == off
}

// A Keeper is a Source whose data can be kept without copying it.
type Keeper interface {
	Source

	// Keep makes the data of the latest batch stay valid until what it returns is
	// closed.
	Keep() io.Closer
}

// maxParts is of how many parts a body may consist: so many go into one write.
const maxParts = 64

// maxBatches is of how many batches a body's parts may be: whatever else came in
// these is kept with it.
const maxBatches = 8

// maxKeepers is how many streams there may be: the batches of many bodies that cross at the
// same time have a part of each, so that to keep one body is to keep them all.
const maxKeepers = 8

// A keptBody is a frame's body so far, in parts where the source has them. It is
// written from there.
type keptBody struct {
	parts   [][]byte
	size    int         // size is that of all parts, in bytes.
	batches []io.Closer // batches are those that are kept for it.
	latest  uint64      // latest is the number of the last of them.
}

// release closes the batches that were kept.
func (b *keptBody) release() {
	for _, k := range b.batches {
		k.Close()
	}
	clear(b.parts)
	clear(b.batches)
	b.parts, b.batches, b.size, b.latest = b.parts[:0], b.batches[:0], 0, 0
}

// keep takes a part of t's frame without copying it, if that is possible. The last one is
// written before the batch goes.
func (w *Writer) keep(t *streamWriter, p []byte, last bool) bool {
	if w.keeper == nil || len(w.streams) > maxKeepers || len(t.buf) > 0 || len(t.kept.parts) == maxParts || !sharesEnd(p, w.chunkData) {
		return false
	}
	b := &t.kept
	if !last && b.latest != w.batch {
		if len(b.batches) == maxBatches {
			return false
		}
		b.batches, b.latest = append(b.batches, w.keeper.Keep()), w.batch
	}
	b.parts, b.size = append(b.parts, p), b.size+len(p)
	return true
}

// join copies what is kept in parts to buf.
func (t *streamWriter) join() {
	t.buf = slices.Grow(t.buf, t.kept.size)
	for _, p := range t.kept.parts {
		t.buf = append(t.buf, p...)
	}
	t.kept.release()
}

// sharesEnd reports whether p is a part of all: both have the same end.
func sharesEnd(p, all []byte) bool {
	return cap(p) > 0 && cap(all) > 0 && &p[:cap(p)][cap(p)-1] == &all[:cap(all)][cap(all)-1]
}
