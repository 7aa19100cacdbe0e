package recorder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"wiretea/session"
	"wiretea/session/framing"
	"wiretea/session/jsonrpc"
)

// ErrNoFrame is returned when there is no frame at a row's offset: the row is of
// another log, or shows something else.
var ErrNoFrame = errors.New("no frame at this position")

// ReadFrame reads at most limit bytes of the body of a row's frame, from the
// body's offset from on; less at the body's end, and nothing beyond it. The
// result is the caller's. A body in raw records is put together from all that
// belong to it; one that is still growing is read as far as it has come.
func ReadFrame(log Log, row session.Row, from, limit int64) ([]byte, error) {
	from = min(max(from, 0), int64(row.Len))
	b := BodyReader{log: log, rows: []session.Row{row}, from: from, limit: min(max(limit, 0), int64(row.Len)-from)}
	err := b.Read(context.Background(), math.MaxInt64)
	return b.Body(), err
}

// ReadValue reads the JSON text of a row's message, at most limit bytes of it. Where
// the message began on earlier rows, their lines come first, with their
// terminators.
func ReadValue(log Log, s *session.Snapshot, row uint32, limit int64) ([]byte, error) {
	b := NewBodyReader(log, s, row, limit)
	if err := b.Read(context.Background(), limit); err != nil {
		return nil, err
	}
	return b.Body(), nil
}

// A BodyReader reads the body of a row and the terminator that follows it, piece by
// piece. The body of a row with FlagJoined begins with the earlier lines of its
// value.
type BodyReader struct {
	log   Log
	rows  []session.Row // rows are the lines of the body that are not read to their end.
	from  int64         // from is the offset in the first line.
	limit int64         // limit is how much of the body is read at most, in bytes.

	reader  Reader
	rec     session.Record
	begun   bool              // begun: the reader is within the first of rows, which lies in raw records.
	trip    int               // trip is the round trip that the first of rows belongs to; 0 over stdio.
	skip    int64             // skip counts the bytes of raw records before those that are wanted.
	left    int64             // left counts the bytes of the first row's body that are still expected,
	newline int               // and newline the line feeds of its terminator.
	event   *framing.Splitter // event takes an event's syntax from between the lines of its data; nil where there is none.
	ahead   int64             // ahead counts the bytes of an event's data before those that are wanted.
	buf     []byte            // buf is the body and, once all is read, its terminator.
	n       int64             // n is how much of buf is body.
}

// NewBodyReader returns a reader of a row's body. It reads at most limit bytes of
// it, and the terminator only where the body is not longer.
func NewBodyReader(log Log, s *session.Snapshot, row uint32, limit int64) *BodyReader {
	return &BodyReader{log: log, rows: linesOf(s, row), limit: limit}
}

// maxBack is how many rows linesOf goes back at most.
const maxBack = 100_000

// linesOf returns the rows of the lines of a value that ends with a row, in order.
func linesOf(s *session.Snapshot, i uint32) []session.Row {
	last := s.Row(i)
	rows := []session.Row{last}
	for back := 0; last.Flags&session.FlagJoined != 0 && i > 0 && back < maxBack; back++ {
		i--
		r := s.Row(i)
		// A line that was injected is not a part of the client's value.
		if r.Stream != last.Stream || r.Conn != last.Conn || r.Kind >= session.RowIO || injected(r) != injected(last) {
			continue
		}
		if r.Kind != session.RowPart {
			break
		}
		rows = append(rows, r)
	}
	slices.Reverse(rows)
	return rows
}

func injected(r session.Row) bool { return r.Stream == session.C2S && r.Way == session.WayOut }

// Body returns what was read of the body.
func (b *BodyReader) Body() []byte { return b.buf[:b.n] }

// Bytes returns what was read of the body and, at its end, the terminator.
func (b *BodyReader) Bytes() []byte { return b.buf }

// Done reports whether all was read, or as much as there is and the limit allows.
func (b *BodyReader) Done() bool { return len(b.rows) == 0 }

// Read reads on until want bytes of the body have been read, or all. It returns
// ctx's error when ctx ends.
func (b *BodyReader) Read(ctx context.Context, want int64) error {
	if b.reader.buf == nil {
		b.buf = make([]byte, 0, min(b.open(), b.limit))
	}
	for !b.Done() && (b.n < want || want >= b.limit) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := b.next(); err != nil {
			return fmt.Errorf("reading frame %d: %w", b.rows[0].N, err)
		}
	}
	return nil
}

// open makes room for records and returns about how long the body is.
func (b *BodyReader) open() (size int64) {
	for i := range b.rows {
		size += int64(b.rows[i].Len) + 2
	}
	b.reader.buf = make([]byte, 0, min(2*size+1024, readSize))
	return size
}

// WriteTo writes the body, piece by piece, without its terminator, and keeps none of it.
// Nothing may have been read before.
func (b *BodyReader) WriteTo(w io.Writer) (written int64, err error) {
	b.open()
	for !b.Done() {
		if err := b.next(); err != nil {
			return written, fmt.Errorf("reading frame %d: %w", b.rows[0].N, err)
		}
		n, err := w.Write(b.buf[:b.n])
		if written += int64(n); err != nil {
			return written, err
		}
		b.limit -= b.n
		b.buf, b.n = append(b.buf[:0], b.buf[b.n:]...), 0
	}
	return written, nil
}

// next reads the next record of the first row.
func (b *BodyReader) next() error {
	row := &b.rows[0]
	if b.begun {
		err := b.reader.Next(&b.rec)
		if errors.Is(err, io.EOF) {
			b.endLine()
			return nil
		}
		if err == nil {
			b.take(row)
		}
		return err
	}
	b.reader = Reader{log: b.log, off: row.Off, part: true, buf: b.reader.buf[:0], parser: b.reader.parser}
	raw := row.Flags&session.FlagRaw != 0
	switch err := b.reader.Next(&b.rec); {
	case errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	case err != nil:
		return err
	case b.rec.Kind == session.RecGap && b.rec.Gap.Why == "tail":
		return ErrEvicted
	case b.rec.Off == row.Off && b.rec.Kind == session.RecHTTP && row.Kind.Event():
		head := b.rec.HTTP.Head()
		b.add([]byte(head[min(b.from, int64(len(head))):]))
		b.endLine()
	case b.rec.Off != row.Off, raw && b.rec.Kind != session.RecRaw, !raw && b.rec.Kind != session.RecFrame:
		return ErrNoFrame
	case raw:
		b.beginRaw(row)
		b.take(row)
	default:
		body := b.rec.Body[min(b.from, int64(len(b.rec.Body))):]
		b.add(body)
		if b.n < b.limit {
			b.buf = append(b.buf, b.rec.Term...)
		}
		b.endLine()
	}
	return nil
}

// beginRaw begins a row that lies in raw records.
func (b *BodyReader) beginRaw(row *session.Row) {
	b.begun, b.trip = true, b.rec.Trip
	b.skip, b.left, b.newline = int64(row.Skip)+b.from, int64(row.Len)-b.from, 1
	if row.Kind == session.RowHeader {
		b.newline = 2
	}
	if b.event = nil; row.Flags&session.FlagEvent != 0 {
		b.skip, b.ahead = int64(row.Skip), b.from
		b.event = &framing.Splitter{Mode: framing.Events}
		b.event.Push([]byte("data: "), func(framing.Piece) {}) // It is before Skip.
	}
}

// take takes what belongs to a row from its first record or one that follows.
func (b *BodyReader) take(row *session.Row) {
	rec := &b.rec
	if rec.Stream != row.Stream || rec.Way != row.Way || rec.Conn != int(row.Conn) || rec.Trip != b.trip || rec.Kind != session.RecRaw {
		return
	}
	skip := min(b.skip, int64(len(rec.Body)))
	b.skip -= skip
	part := rec.Body[skip:]
	if b.event != nil {
		b.takeEvent(row, part)
		return
	}
	n := min(b.left, int64(len(part)))
	b.left -= n
	b.add(part[:n])
	switch {
	case b.n == b.limit, b.left == 0 && (row.Kind == session.RowGrowing || row.Flags&session.FlagUnterminated != 0):
		b.endLine()
		return
	case b.left > 0:
		return
	}
	for _, c := range part[n:] {
		if c != '\r' && c != '\n' {
			b.newline = 0 // A body of a given length has no terminator.
			break
		}
		b.buf = append(b.buf, c)
		if c == '\n' {
			if b.newline--; b.newline == 0 {
				break
			}
		}
	}
	if b.newline == 0 {
		b.endLine()
	}
}

// takeEvent takes the data of an event from a part of its stream.
func (b *BodyReader) takeEvent(row *session.Row, part []byte) {
	ended := false
	b.event.Push(part, func(p framing.Piece) {
		if ended {
			return // It is of the next event.
		}
		data := p.Data[min(b.ahead, int64(len(p.Data))):]
		b.ahead -= int64(len(p.Data) - len(data))
		data = data[:min(b.left, int64(len(data)))]
		b.left -= int64(len(data))
		b.add(data)
		if ended = p.End; ended && b.n < b.limit {
			b.buf = append(b.buf, p.Term...)
		}
	})
	grows := row.Kind == session.RowGrowing || row.Flags&session.FlagUnterminated != 0
	if ended || b.n == b.limit || b.left == 0 && grows {
		b.endLine()
	}
}

// add adds to the body, up to the limit.
func (b *BodyReader) add(p []byte) {
	p = p[:min(int64(len(p)), b.limit-b.n)]
	b.buf = append(b.buf, p...)
	b.n += int64(len(p))
}

// endLine goes on with the next line. The terminator before it is a part of the body.
func (b *BodyReader) endLine() {
	b.rows, b.begun, b.from = b.rows[1:], false, 0
	if !b.Done() {
		b.n = min(int64(len(b.buf)), b.limit)
	}
	if b.n == b.limit {
		b.rows, b.buf = nil, b.buf[:b.n]
	}
}

// A Request is a request or a notification without what its sender adds to it: an
// id, and in the modern era the metadata of its client.
type Request struct {
	Method string
	Params []byte // Params is the JSON text of the parameters, verbatim; nil means none.
}

// ErrNoRequest is returned by ReadRequest when the row has no single message with a
// method.
var ErrNoRequest = errors.New("the frame is not a single message with a method")

// MaxValue is the number of bytes of a message that ReadRequest and ReadMessage
// read.
const MaxValue = 100 << 20

// ReadMessage reads the JSON text of the message at a row, at most MaxValue bytes
// of it; see ReadValue.
func ReadMessage(log Log, s *session.Snapshot, row uint32) ([]byte, error) {
	return ReadValue(log, s, row, MaxValue)
}

// ReadRequest reads the request or notification at a row.
func ReadRequest(log Log, s *session.Snapshot, row uint32) (Request, error) {
	body, err := ReadMessage(log, s, row)
	if err != nil {
		return Request{}, err
	}
	var r Request
	messages := 0
	jsonrpc.Scan(body, func(m *jsonrpc.Message) {
		messages++
		r.Method, _ = m.Method.Unquoted()
		r.Params = bytes.Clone(m.Params.In(body))
	})
	if messages != 1 || r.Method == "" {
		return Request{}, ErrNoRequest
	}
	return r, nil
}

// Payload returns the content of a single message and the name of its member: the
// params of a request or notification, or the result or error of a response. It
// reports false for a batch, for anything that is not a message, and for a message
// without content.
func Payload(message []byte) (member string, content []byte, ok bool) {
	messages := 0
	jsonrpc.Scan(message, func(m *jsonrpc.Message) {
		messages++
		for _, f := range []struct {
			member string
			span   jsonrpc.Span
		}{{"params", m.Params}, {"result", m.Result}, {"error", m.Error}} {
			if text := f.span.In(message); text != nil {
				member, content = f.member, text
			}
		}
	})
	return member, content, messages == 1 && content != nil
}

// CopyBody writes the body of a row to w, as it came, however long it is.
func CopyBody(w io.Writer, log Log, s *session.Snapshot, row uint32) error {
	_, err := NewBodyReader(log, s, row, math.MaxInt64).WriteTo(w)
	return err
}

// CopyResult writes the result of a response to w, as it came, however long it is: in
// constant memory, by reading the body twice. A body without a result, such as an error
// response, is written whole.
func CopyResult(w io.Writer, log Log, s *session.Snapshot, row uint32) error {
	out := window{w: w, left: math.MaxInt64}
	var scan scanWriter
	scan.Reset(func(m *jsonrpc.Message) {
		if m.Kind == jsonrpc.Result {
			out.skip, out.left = int64(m.Result.Off), int64(m.Result.Len)
		}
	})
	if err := CopyBody(&scan, log, s, row); err != nil {
		return err
	}
	scan.End()
	return CopyBody(&out, log, s, row)
}

// scanWriter is a Scanner as an io.Writer.
type scanWriter struct{ jsonrpc.Scanner }

func (s *scanWriter) Write(p []byte) (int, error) {
	s.Scanner.Write(p)
	return len(p), nil
}

// window writes left bytes behind the first skip to w.
type window struct {
	w          io.Writer
	skip, left int64
}

func (o *window) Write(p []byte) (int, error) {
	from := min(o.skip, int64(len(p)))
	n := min(o.left, int64(len(p))-from)
	o.skip, o.left = o.skip-from, o.left-n
	if n > 0 {
		if _, err := o.w.Write(p[from : from+n]); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}
