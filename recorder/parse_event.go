package recorder

import (
	"encoding/json"
	"errors"
	"time"

	"wiretea/session"
)

// parseEvent fills in a record that holds no bytes of a stream. Such records are rare.
// Fields of the wrong type are left zero; whether a header is one that we can read is
// checkHeader's business.
func parseEvent(line []byte, f *parts, rec *session.Record) (err error) {
	if rec.Kind == session.RecIO || rec.Kind == session.RecGap {
		var ok bool
		if rec.Stream, ok = session.ParseStream(asWord(f.stream)); !ok {
			return errField
		}
	}
	switch rec.Kind {
	case session.RecHeader:
		var h session.Header
		h, err = unmarshal(line, h)
		h.T0 = h.T0.UTC()
		rec.Conn, rec.Header = 1, &h
	case session.RecIO:
		rec.IO, err = unmarshal(line, rec.IO)
	case session.RecProc:
		rec.Proc, err = unmarshal(line, rec.Proc)
	case session.RecGap:
		rec.Gap, err = unmarshal(line, session.Gap{Stream: rec.Stream, Frames: -1})
	case session.RecEnd:
		rec.End, err = unmarshal(line, rec.End)
	case session.RecClock:
		var clock struct {
			Wall time.Time `json:"wall"`
		}
		clock, err = unmarshal(line, clock)
		if rec.Wall = clock.Wall.UTC(); rec.Wall.IsZero() {
			return errField
		}
	}
	return err
}

// unmarshal reads the fields of a record into v.
func unmarshal[T any](line []byte, v T) (T, error) {
	err := json.Unmarshal(line, &v)
	if mismatch := (*json.UnmarshalTypeError)(nil); err == nil || errors.As(err, &mismatch) {
		return v, nil
	}
	return v, errField
}
