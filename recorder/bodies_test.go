package recorder

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"wiretea/session"
)

// countedLog counts the bytes that are read.
type countedLog struct {
	Log
	read int64
}

func (l *countedLog) ReadAt(p []byte, off int64) (int, error) {
	n, err := l.Log.ReadAt(p, off)
	l.read += int64(n)
	return n, err
}

// TestBodiesOfManyRows reads rows of frames, of bulk raw records of two streams, and of lines that
// lie in two of them: as ReadFrame does, and each record once, however many rows it has.
func TestBodiesOfManyRows(t *testing.T) {
	const lines = 2000
	dst := appendHeader(nil, ptr(header()))
	n := uint64(0)
	raw := func(d session.Stream, text string) {
		n++
		dst = appendRaw(dst, n, origin{conn: 1}, int64(n), int64(n), d, session.Crossed, nil, []byte(text))
	}
	for i := range 6 {
		var out, err strings.Builder
		for k := range lines {
			fmt.Fprintf(&out, `{"jsonrpc":"2.0","id":%d,"result":{}}`+"\n", i*lines+k)
			fmt.Fprintf(&err, "line %d\n", i*lines+k)
		}
		raw(session.S2C, out.String()+"half")
		raw(session.Stderr, err.String())
		raw(session.S2C, " a line\n")
	}
	log := &countedLog{Log: bytesLog(dst)}
	s := snapshotOf(t, log)
	if s.Len() != 6*(2*lines+1) {
		t.Fatalf("%d rows", s.Len())
	}
	log.read = 0
	b := NewBodies(log)
	for i := range s.Len() {
		got, err := b.Read(s.Row(uint32(i)), 100)
		if err != nil {
			t.Fatal(err)
		}
		if i%97 == 0 {
			plain := bytesLog(dst)
			if want, err := ReadFrame(plain, s.Row(uint32(i)), 0, 100); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("row %d: %q, want %q, %v", i, got, want, err)
			}
		}
	}
	if size := int64(len(dst)); log.read > 8*size {
		t.Errorf("%d bytes were read of a log of %d", log.read, size)
	}
}
