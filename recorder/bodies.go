package recorder

import (
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
