package recorder

import (
	"errors"
	"fmt"
	"io"

	"wiretea/session"
)

// ErrNoFrame is returned by ReadFrame when there is no frame at the row's
// offset: the row is of another log, or shows something else.
var ErrNoFrame = errors.New("no frame at this position")

// ReadFrame reads at most limit bytes of the body of a row's frame, from the
// body's offset from on; less at the body's end, and nothing beyond it. The
// result is the caller's. A body in raw records is put together from all that
// belong to it; one that is still growing is read as far as it has come.
func ReadFrame(log Log, row session.Row, from, limit int64) ([]byte, error) {
	from = min(max(from, 0), int64(row.Len))
	limit = min(max(limit, 0), int64(row.Len)-from)
	r := &Reader{log: log, off: row.Off, part: true}
	r.buf = make([]byte, 0, min(2*int64(row.Len)+1024, readSize))
	var rec session.Record
	if err := r.Next(&rec); err != nil {
		return nil, fmt.Errorf("reading frame %d: %w", row.N, noEOF(err))
	}
	switch {
	case rec.Kind == session.RecGap && rec.Gap.Why == "tail":
		return nil, ErrForgotten
	case rec.Off != row.Off:
		return nil, fmt.Errorf("reading frame %d: %w", row.N, ErrNoFrame)
	}
	if row.Flags&session.FlagRaw == 0 {
		if rec.Kind != session.RecFrame {
			return nil, fmt.Errorf("reading frame %d: %w", row.N, ErrNoFrame)
		}
		from = min(from, int64(len(rec.Body)))
		limit = min(limit, int64(len(rec.Body))-from)
		return append([]byte(nil), rec.Body[from:from+limit]...), nil
	}
	return readRaw(r, &rec, row, from, limit)
}

// readRaw collects a body from raw records, of which rec is the first.
func readRaw(r *Reader, rec *session.Record, row session.Row, from, limit int64) ([]byte, error) {
	body := make([]byte, 0, min(limit, maxRaw))
	skip := int64(row.Skip) + from
	for {
		if rec.Kind == session.RecRaw && rec.Stream == row.Stream && rec.Way == row.Way && rec.Conn == int(row.Conn) {
			at := min(skip, int64(len(rec.Body)))
			skip -= at
			part := rec.Body[at:]
			body = append(body, part[:min(int64(len(part)), limit-int64(len(body)))]...)
		}
		if int64(len(body)) == limit {
			return body, nil
		}
		switch err := r.Next(rec); {
		case errors.Is(err, io.EOF):
			return body, nil
		case err != nil:
			return body, fmt.Errorf("reading frame %d: %w", row.N, err)
		}
	}
}

// noEOF says that an end was not expected.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
