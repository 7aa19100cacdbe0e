package recorder

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"wiretea/session"
)

// A suddenLog is empty until it has been read once; then all of it is there, and
// its end.
type suddenLog struct {
	data []byte
	come bool
}

func (l *suddenLog) ReadAt(p []byte, off int64) (int, error) {
	if !l.come {
		l.come = true
		return 0, io.EOF
	}
	return bytes.NewReader(l.data).ReadAt(p, off)
}

func (l *suddenLog) Size() int64 {
	if !l.come {
		return 0
	}
	return int64(len(l.data))
}

func (l *suddenLog) Wait(_ context.Context, size int64) error {
	switch {
	case l.Size() > size:
		return nil
	case l.come:
		return ErrFinished
	}
	return context.Canceled
}

// TestSudden: a session that comes whole, in the moment in which it was found to
// be empty, is read, and anything but a session is refused as at any other time.
func TestSudden(t *testing.T) {
	const header = `{"k":"hdr","fmt":"mcpcap","v":1,"minv":1,"sid":"00","t0":"2026-11-20T10:00:00Z","mode":"run"}`
	for data, want := range map[string]error{
		header + "\n": nil, "": ErrNotSession, "{\"a\":1}\n": ErrNotSession, `{"k":`: ErrNotSession, "words": ErrNotSession,
	} {
		a := session.NewAnalyzer(session.Config{})
		f := Follower{Log: &suddenLog{data: []byte(data)}, Analyzer: a}
		if err := f.Run(t.Context()); !errors.Is(err, want) {
			t.Errorf("%q: %v", data, err)
		}
		if found := a.Snapshot().Header() != nil; found != (want == nil) {
			t.Errorf("%q: header found: %v", data, found)
		}
	}
}
