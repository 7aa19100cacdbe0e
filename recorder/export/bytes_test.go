package export_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"wiretea/recorder"
	"wiretea/recorder/export"
	"wiretea/session"
)

// batch is a Source of one batch.
type batch []session.Observation

func (b *batch) Take(time.Duration) ([]session.Observation, int64, error) {
	if len(*b) == 0 {
		return nil, 0, io.EOF
	}
	all := *b
	*b = nil
	return all, 0, nil
}

func record(t *testing.T, list ...session.Observation) recorder.Log {
	t.Helper()
	sink := recorder.NewMemory(0)
	src := batch(list)
	if err := recorder.NewWriter(sink, session.Header{}, recorder.Options{}).Run(&src); err != nil {
		t.Fatal(err)
	}
	return sink
}

func TestBytes(t *testing.T) {
	long := strings.Repeat("x€", 1<<20)
	log := record(t,
		session.Observation{Conn: 1, Stream: session.C2S, Data: []byte("{ \"id\": 1.0 }\r\n")},
		session.Observation{Conn: 1, Stream: session.S2C, Data: []byte("\xff\n" + long)},
		session.Observation{Conn: 2, Stream: session.S2C, Data: []byte("second\n")},
		session.Observation{Conn: 1, Stream: session.C2S, Way: session.WayOut, Data: []byte("ours\n")},
		session.Observation{Conn: 1, Stream: session.C2S, Way: session.WayIn, Data: []byte("swallowed\n")},
		session.Observation{Conn: 1, Stream: session.S2C, Data: []byte("\n\nopen")},
	)
	for _, c := range []struct {
		stream session.Stream
		conn   int
		end    export.End
		want   string
	}{
		{session.C2S, 1, export.SenderEnd, "{ \"id\": 1.0 }\r\nswallowed\n"},
		{session.C2S, 1, export.ReceiverEnd, "{ \"id\": 1.0 }\r\nours\n"},
		{session.S2C, 1, export.SenderEnd, "\xff\n" + long + "\n\nopen"},
		{session.S2C, 1, export.ReceiverEnd, "\xff\n" + long + "\n\nopen"},
		{session.S2C, 2, export.SenderEnd, "second\n"},
		{session.Stderr, 0, export.ReceiverEnd, ""},
	} {
		var got bytes.Buffer
		if err := export.Bytes(&got, log, export.Part{Stream: c.stream, Conn: c.conn, End: c.end}); err != nil || got.String() != c.want {
			t.Errorf("%v of %d: %d bytes %.40q, %v; want %d bytes %.40q", c.stream, c.conn, got.Len(), got.String(), err, len(c.want), c.want)
		}
	}
}

// TestNoPart holds that a connection or a round trip that the recording does not have is an
// error: it is not one that sent nothing.
func TestNoPart(t *testing.T) {
	log := record(t, session.Observation{Conn: 1, Stream: session.S2C, Data: []byte("a\n")})
	for _, part := range []export.Part{{Conn: 2}, {Conn: -1}, {Trip: 1}, {Conn: 1, Trip: 1}} {
		part.Stream = session.S2C
		if err := export.Bytes(io.Discard, log, part); !errors.Is(err, export.ErrNoPart) {
			t.Errorf("%+v: %v", part, err)
		}
	}
	if err := export.Bytes(io.Discard, log, export.Part{Stream: session.C2S, Conn: 1}); err != nil {
		t.Error(err)
	}
	if err := export.Bytes(io.Discard, record(t), export.Part{Stream: session.S2C}); err != nil {
		t.Errorf("all of a recording of nothing: %v", err)
	}
}

// TestIncomplete holds that missing bytes are an error, after all that is there.
func TestIncomplete(t *testing.T) {
	log := record(t,
		session.Observation{Conn: 1, Stream: session.S2C, Data: []byte("a\n")},
		session.Observation{Kind: session.ObsGap, Conn: 1, Stream: session.S2C, Gap: session.Gap{Stream: session.S2C, Bytes: 77, Frames: -1, Why: "memory"}},
		session.Observation{Conn: 1, Stream: session.S2C, Data: []byte("b\n")},
	)
	var got bytes.Buffer
	err := export.Bytes(&got, log, export.Part{Stream: session.S2C, Conn: 1})
	if !errors.Is(err, export.ErrIncomplete) || !strings.Contains(err.Error(), "77 bytes of s2c") || got.String() != "a\nb\n" {
		t.Errorf("%q, %v", got.String(), err)
	}
	if err := export.Bytes(io.Discard, log, export.Part{Stream: session.C2S, Conn: 1}); err != nil {
		t.Errorf("the other stream: %v", err)
	}
	if err := export.Bytes(broken{}, log, export.Part{Stream: session.S2C, Conn: 1}); err == nil || errors.Is(err, export.ErrIncomplete) {
		t.Errorf("writing into nothing: %v", err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken") }
