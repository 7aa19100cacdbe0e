package recorder

import (
	"io"
	"math"

	"wiretea/session"
	"wiretea/session/jsonrpc"
)

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
