package traffic

import (
	"wiretea/recorder"
	"wiretea/session"
)

const (
	farAhead = 256 << 10 // bytes of the log over which records are skipped one by one
	maxBody  = 128 << 20 // longest body that is looked at whole
)

// bodies reads the bodies of rows from the log. It is made for rows that are
// asked for in the order of the log: then every record is read once, in large
// blocks.
type bodies struct {
	log recorder.Log
	r   *recorder.Reader
	rec session.Record // rec is the latest record of r; its Off is -1 before the first.
}

func newBodies(log recorder.Log) *bodies {
	return &bodies{log: log, rec: session.Record{Off: -1}}
}

// of returns the body of a row, at most maxBody bytes of it, and nothing where
// it cannot be read. It is valid until the next call.
func (b *bodies) of(row session.Row) []byte {
	if b.log == nil || !hasBody(row.Kind) || !b.seek(row.Off) {
		return nil
	}
	switch {
	case row.Kind.Event() && b.rec.Kind == session.RecHTTP:
		return []byte(b.rec.HTTP.Head())
	case row.Flags&session.FlagRaw == 0 && b.rec.Kind == session.RecFrame:
		return b.rec.Body
	case row.Flags&session.FlagRaw == 0:
		return nil
	}
	if b.rec.Kind != session.RecRaw {
		return nil
	}
	from, size := int64(row.Skip), min(int64(row.Len), maxBody)
	if from+size <= int64(len(b.rec.Body)) {
		return b.rec.Body[from : from+size]
	}
	body, _ := recorder.ReadFrame(b.log, row, 0, maxBody) // It lies in several records; what cannot be read is left out.
	return body
}

// seek makes the record at off the one at hand.
func (b *bodies) seek(off int64) bool {
	if b.r != nil && b.rec.Off == off {
		return true
	}
	if b.r == nil || b.r.Offset() > off || off-b.r.Offset() > farAhead {
		b.r = recorder.NewReader(b.log, off)
	}
	for b.r.Offset() <= off {
		if b.r.Next(&b.rec) != nil {
			b.r, b.rec.Off = nil, -1
			return false
		}
	}
	return b.rec.Off == off
}

// hasBody reports whether rows of that kind have bytes of their own.
func hasBody(k session.RowKind) bool {
	return !k.Event() || k == session.RowTrip || k == session.RowTripResponse
}

// match reports whether a row matches a filter that depends on its body, and how many
// bytes that took. An HTTP request matches also where its response's head does.
func (b *bodies) match(f *session.Filter, s *session.Snapshot, i uint32) (ok bool, size int) {
	r := s.Row(i)
	body := b.of(r)
	if f.Match(s, i, body) {
		return true, len(body)
	}
	size = len(body)
	if r.Kind == session.RowTrip && r.Pair != session.NoRow {
		body = b.of(s.Row(r.Pair))
		return f.Match(s, r.Pair, body), size + len(body)
	}
	return false, size
}
