package detail

import (
	"context"
	"errors"
	"fmt"
	"io"

	"wiretea/recorder"
	"wiretea/session"
)

const (
	firstWindow = 256 << 10 // bytes of a body that are shown before the rest is read
	maxShown    = 100 << 20 // most bytes of a body that are read at all
	readStep    = 8 << 20   // bytes read between two reports
	maxParts    = 100_000   // most lines of one value
)

// A bodyReader reads a row's body, and the terminator behind it, piece by piece.
type bodyReader struct {
	r    *recorder.Reader
	rec  session.Record
	row  session.Row
	size int64  // size is how much of the body is read.
	skip int64  // skip is how many bytes of the stream still lie before it.
	buf  []byte // buf is what was read.
	n    int64  // n is how much of buf is body; the rest is its terminator.
	done bool
}

func newBodyReader(log recorder.Log, row session.Row) *bodyReader {
	size := min(int64(row.Len), maxShown)
	return &bodyReader{r: recorder.NewReader(log, row.Off), row: row, size: size, skip: int64(row.Skip)}
}

// read reads until buf has want bytes of the body, or all. It fails with ctx's
// error when that ends.
func (b *bodyReader) read(ctx context.Context, want int64) error {
	want = min(want, b.size)
	if b.buf == nil {
		b.buf = make([]byte, 0, b.size+2)
		if err := b.begin(); err != nil || b.done {
			return err
		}
	}
	for !b.done && (b.n < want || want == b.size) {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch err := b.r.Next(&b.rec); {
		case errors.Is(err, io.EOF):
			b.done = true
		case err != nil:
			return fmt.Errorf("reading frame %d: %w", b.row.N, err)
		default:
			b.take()
		}
	}
	return nil
}

// begin reads the row's own record.
func (b *bodyReader) begin() error {
	if err := b.r.Next(&b.rec); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("reading frame %d: %w", b.row.N, err)
	}
	raw := b.row.Flags&session.FlagRaw != 0
	switch {
	case b.rec.Kind == session.RecGap && b.rec.Gap.Why == "tail":
		return recorder.ErrForgotten
	case b.rec.Off != b.row.Off, raw && b.rec.Kind != session.RecRaw, !raw && b.rec.Kind != session.RecFrame:
		return fmt.Errorf("reading frame %d: %w", b.row.N, recorder.ErrNoFrame)
	case raw:
		b.take()
		return nil
	}
	b.n = min(b.size, int64(len(b.rec.Body)))
	b.buf = append(b.buf, b.rec.Body[:b.n]...)
	if b.n == int64(len(b.rec.Body)) {
		b.buf = append(b.buf, b.rec.Term...)
	}
	b.done = true
	return nil
}

// take takes what belongs to the body from a raw record. A terminator is looked
// for in the record in which the body ends.
func (b *bodyReader) take() {
	rec := &b.rec
	if rec.Kind != session.RecRaw || rec.Stream != b.row.Stream || rec.Way != b.row.Way || rec.Conn != int(b.row.Conn) {
		return
	}
	at := min(b.skip, int64(len(rec.Body)))
	b.skip -= at
	part := rec.Body[at:]
	n := min(int64(len(part)), b.size-b.n)
	b.buf = append(b.buf, part[:n]...)
	b.n += n
	if b.n < b.size {
		return
	}
	b.done = true
	if b.size < int64(b.row.Len) || b.row.Kind == session.RowGrowing {
		return
	}
	switch rest := part[n:]; {
	case len(rest) >= 1 && rest[0] == '\n':
		b.buf = append(b.buf, '\n')
	case len(rest) >= 2 && rest[0] == '\r' && rest[1] == '\n':
		b.buf = append(b.buf, '\r', '\n')
	}
}

// partsOf returns the rows of a value that is spread over several lines and ends
// with row i, in order.
func partsOf(s *session.Snapshot, i uint32) []session.Row {
	last := s.Row(i)
	parts := []session.Row{last}
	for j := i; j > 0 && len(parts) < maxParts; {
		j--
		r := s.Row(j)
		if r.Stream != last.Stream || r.Conn != last.Conn || r.Kind == session.RowIO || r.Kind == session.RowProc || r.Kind == session.RowGap {
			continue
		}
		if r.Kind != session.RowPart {
			break
		}
		parts = append(parts, r)
	}
	for a, b := 0, len(parts)-1; a < b; a, b = a+1, b-1 {
		parts[a], parts[b] = parts[b], parts[a]
	}
	return parts
}

// readParts reads all lines of a value with their terminators. The last one's is
// not counted in n.
func readParts(ctx context.Context, log recorder.Log, parts []session.Row) (buf []byte, n int64, err error) {
	for _, row := range parts {
		if int64(len(buf))+int64(row.Len) > maxShown {
			break
		}
		b := newBodyReader(log, row)
		if err := b.read(ctx, maxShown); err != nil {
			return nil, 0, err
		}
		n = int64(len(buf)) + b.n
		buf = append(buf, b.buf...)
	}
	return buf, n, nil
}
