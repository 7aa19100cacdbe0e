package traffic

import (
	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/filter"
)

const maxBody = 128 << 20 // longest body that is looked at whole

// bodies reads the bodies of rows from the log, of whole frames and of what a round trip
// says in its heads.
type bodies struct{ read *recorder.Bodies }

func newBodies(log recorder.Log) *bodies {
	if log == nil {
		return &bodies{}
	}
	return &bodies{recorder.NewBodies(log)}
}

// of returns the body of a row, at most maxBody bytes of it, and nothing where
// it cannot be read. It is valid until the next call.
func (b *bodies) of(row session.Row) []byte {
	switch {
	case b.read == nil || !hasBody(row.Kind):
		return nil
	case row.Kind.Event():
		if rec := b.read.Record(row.Off); rec != nil && rec.Kind == session.RecHTTP {
			return []byte(rec.HTTP.Head())
		}
		return nil
	}
	body, _ := b.read.Read(row, maxBody) // What cannot be read is left out.
	return body
}

// hasBody reports whether rows of that kind have bytes of their own.
func hasBody(k session.RowKind) bool {
	return !k.Event() || k == session.RowTrip || k == session.RowTripResponse
}

// match reports whether a row matches a filter that depends on its body, and how many
// bytes that took. An HTTP request matches also where its response's head does.
func (b *bodies) match(f *filter.Filter, s *session.Snapshot, i uint32) (ok bool, size int) {
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
