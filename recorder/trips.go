package recorder

import (
	"context"

	"wiretea/session"
)

// far is within how many bytes of the log the records of a trip are looked for.
const far = 16 << 20

// ReadTrip reads the records of a trip of which t has the rows: from its request on, and where
// the rest is far from there, at its response and its end. Request is nil if it could not be
// read.
func ReadTrip(ctx context.Context, log Log, t session.Trip) *session.Trip {
	t.EndT = 0
	for _, row := range []session.Row{t.RequestRow, t.ResponseRow, t.EndRow} {
		over := t.End != nil || row.Kind == session.RowTripResponse && (t.Response != nil || t.Err != "") && t.Stream
		if over || !row.Kind.Event() {
			continue
		}
		r := NewReader(log, row.Off)
		var rec session.Record
		for ctx.Err() == nil && r.Next(&rec) == nil && rec.Off < row.Off+far {
			if rec.Trip == t.Number {
				t.Take(&rec)
			}
			if t.End != nil || t.Response != nil && t.Stream {
				break
			}
		}
	}
	return &t
}

// Trips calls f for every record of the trips of a log, in their order, once its trip has taken
// it, until f fails.
func Trips(log Log, f func(t *session.Trip, rec *session.Record) error) error {
	open := map[int]*session.Trip{}
	for rec, err := range NewReader(log, 0).Records() {
		if err != nil {
			return err
		}
		if rec.Trip == 0 {
			continue
		}
		t := open[rec.Trip]
		if t == nil {
			t = &session.Trip{Number: rec.Trip, Conn: rec.Conn, ReqT: rec.T, Request: &session.HTTPEvent{}}
			open[rec.Trip] = t
		}
		if t.Take(rec); t.Over {
			delete(open, rec.Trip)
		}
		if err := f(t, rec); err != nil {
			return err
		}
	}
	return nil
}
