package transport

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"wiretea/session"
)

// A source gives its chunks one a read, then its error.
type source struct {
	chunks [][]byte
	err    error
	closed bool
}

func (s *source) Read(p []byte) (int, error) {
	if len(s.chunks) == 0 {
		return 0, s.err
	}
	n := copy(p, s.chunks[0])
	if s.chunks[0] = s.chunks[0][n:]; len(s.chunks[0]) == 0 {
		s.chunks = s.chunks[1:]
	}
	return n, nil
}

func (s *source) Close() error { s.closed = true; return nil }

// A sink keeps what is written, write by write, and may look at each before.
type sink struct {
	look   func(p []byte) error
	writes [][]byte
	closed bool
}

func (s *sink) Write(p []byte) (int, error) {
	if s.look != nil {
		if err := s.look(p); err != nil {
			return 0, err
		}
	}
	s.writes = append(s.writes, bytes.Clone(p))
	return len(p), nil
}

func (s *sink) Close() error { s.closed = true; return nil }

// An ownedSource counts how often it is renewed, and left.
type ownedSource struct {
	source
	renewed, left int
}

func (s *ownedSource) Own() (leave func()) { return func() { s.left++ } }

func (s *ownedSource) Renew() { s.renewed++ }

// TestRelayIsSeen holds that a relay with a thread of its own lets the scheduler see it as time
// passes, and not for each chunk.
func TestRelayIsSeen(t *testing.T) {
	const chunks = 100
	for name, c := range map[string]struct {
		own      bool
		step     time.Duration // step is how much later it is each time the tap looks at its clock.
		min, max int           // The relay's watch looks too, now and then.
	}{
		"time passes":          {own: true, step: renewAfter / 4, min: chunks / 4, max: chunks},
		"no time passes":       {own: true},
		"long between chunks":  {own: true, step: time.Second, min: chunks, max: chunks},
		"no thread of its own": {step: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			tap := NewTap(time.Now(), TapConfig{})
			var now atomic.Int64
			tap.clock = func() int64 { return now.Add(int64(c.step)) }
			src := &ownedSource{source: source{chunks: slices.Repeat([][]byte{{'x'}}, chunks), err: io.EOF}}
			if err := run(&Relay{Tap: tap, Conn: 1, Stream: session.S2C, Src: src, Dst: &sink{}, OwnThread: c.own}); err != nil {
				t.Fatal(err)
			}
			if src.renewed < c.min || src.renewed > c.max || (src.left == 1) != c.own {
				t.Errorf("renewed %d times, want %d to %d; left %d times", src.renewed, c.min, c.max, src.left)
			}
		})
	}
}

// recording takes what a tap holds: events in words, bytes joined.
func recording(tap *Tap) (story []string, data []byte) {
	tap.Close()
	for {
		batch, _, err := tap.Take(0)
		if err != nil {
			return story, data
		}
		for _, o := range batch {
			if o.Kind == session.ObsBytes {
				data = append(data, o.Data...)
			} else {
				story = append(story, tell(o))
			}
		}
	}
}

func run(r *Relay) error {
	r.Start()
	<-r.Done()
	return r.Err()
}

func TestRelayAltersNothing(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, buffer := range []int{1, 7, 4096, 0} {
		tap, src, dst := tickingTap(TapConfig{}), &source{err: io.EOF}, &sink{}
		var want []byte
		for range 200 {
			chunk := make([]byte, 1+rnd.IntN(5000))
			for i := range chunk {
				chunk[i] = byte(rnd.Uint32())
			}
			src.chunks, want = append(src.chunks, chunk), append(want, chunk...)
		}
		sent := slices.Clone(src.chunks)
		if err := run(&Relay{Tap: tap, Conn: 1, Stream: session.S2C, Src: src, Dst: dst, Buffer: buffer}); err != nil {
			t.Fatal(err)
		}
		story, seen := recording(tap)
		if !bytes.Equal(bytes.Join(dst.writes, nil), want) || !bytes.Equal(seen, want) {
			t.Errorf("buffer %d: what passed is not what was sent", buffer)
		}
		if buffer == 0 && !slices.EqualFunc(dst.writes, sent, bytes.Equal) {
			t.Errorf("%d chunks became %d writes", len(sent), len(dst.writes))
		}
		if !src.closed || !dst.closed {
			t.Errorf("ends left open: source %v, sink %v", !src.closed, !dst.closed)
		}
		if got := strings.Join(story, "; "); got != "s2c eof server" {
			t.Errorf("recorded %q", got)
		}
	}
}

func TestRelayRecordsBeforeItForwards(t *testing.T) {
	tap := tickingTap(TapConfig{})
	var seen []byte
	dst := &sink{look: func(p []byte) error {
		batch, _, _ := tap.Take(time.Nanosecond)
		for _, o := range batch {
			seen = append(seen, o.Data...)
		}
		if !bytes.HasSuffix(seen, p) {
			t.Errorf("%q is written, only %q was recorded", p, seen)
		}
		return nil
	}}
	src := &source{chunks: [][]byte{[]byte("one"), []byte("two"), []byte("three")}, err: io.EOF}
	if err := run(&Relay{Tap: tap, Stream: session.C2S, Src: src, Dst: dst}); err != nil {
		t.Fatal(err)
	}
	if string(seen) != "onetwothree" {
		t.Errorf("saw %q", seen)
	}
}

func TestRelayEnds(t *testing.T) {
	broken := errors.New("it broke")
	for name, tt := range map[string]struct {
		stream session.Stream
		srcErr error
		dstErr error
		drain  bool
		story  string
		data   string
		err    error
	}{
		"end of c2s":           {stream: session.C2S, srcErr: io.EOF, story: "c2s eof client", data: "abcd"},
		"end of stderr":        {stream: session.Stderr, srcErr: io.EOF, story: "err eof server", data: "abcd"},
		"reader hung up":       {stream: session.C2S, srcErr: ErrHangup, story: "c2s closed server", data: "abcd"},
		"given up":             {stream: session.S2C, srcErr: io.ErrClosedPipe, story: "s2c closed server", data: "abcd"},
		"read error":           {stream: session.S2C, srcErr: broken, story: "s2c closed server", data: "abcd", err: broken},
		"reader gone":          {stream: session.C2S, srcErr: io.EOF, dstErr: io.ErrClosedPipe, story: "c2s epipe server", data: "ab"},
		"reader gone, drained": {stream: session.S2C, srcErr: io.EOF, dstErr: io.ErrClosedPipe, drain: true, story: "s2c epipe client; s2c eof server", data: "abcd"},
		"write error":          {stream: session.S2C, srcErr: io.EOF, dstErr: broken, story: "s2c epipe client", data: "ab", err: broken},
	} {
		t.Run(name, func(t *testing.T) {
			tap := tickingTap(TapConfig{})
			src := &source{chunks: [][]byte{[]byte("ab"), []byte("cd")}, err: tt.srcErr}
			dst := &sink{look: func([]byte) error { return tt.dstErr }}
			err := run(&Relay{Tap: tap, Stream: tt.stream, Src: src, Dst: dst, Drain: tt.drain})
			story, data := recording(tap)
			if !errors.Is(err, tt.err) || strings.Join(story, "; ") != tt.story || string(data) != tt.data {
				t.Errorf("got %v, %q, %q", err, story, data)
			}
			if !src.closed || !dst.closed {
				t.Errorf("ends left open: source %v, sink %v", !src.closed, !dst.closed)
			}
		})
	}
}

func TestRelayPanicBecomesAnError(t *testing.T) {
	tap := tickingTap(TapConfig{})
	dst := &sink{look: func([]byte) error { panic("oh dear") }}
	err := run(&Relay{Tap: tap, Stream: session.S2C, Src: &source{chunks: [][]byte{[]byte("x")}, err: io.EOF}, Dst: dst})
	if err == nil || !strings.Contains(err.Error(), "oh dear") || !dst.closed {
		t.Errorf("got %v", err)
	}
}

func TestRelayTellsOfABlockedWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tap := NewTap(time.Now(), TapConfig{})
		src, in := io.Pipe()
		out, dst := io.Pipe()
		r := &Relay{Tap: tap, Conn: 1, Stream: session.C2S, Src: src, Dst: dst, Stall: 4 * time.Second}
		r.Start()

		in.Write([]byte("quick"))
		io.ReadFull(out, make([]byte, 5))
		time.Sleep(10 * time.Second) // silent, which is not blocked
		in.Write([]byte("slowly"))
		time.Sleep(10 * time.Second)
		if latest, writing := r.Activity(); !writing || time.Duration(latest) != 10*time.Second {
			t.Errorf("writing: %v, since %v", writing, time.Duration(latest))
		}
		io.ReadFull(out, make([]byte, 6))
		in.Close()
		<-r.Done()

		tap.Close()
		var got []session.Observation
		for {
			batch, _, err := tap.Take(0)
			if err != nil {
				break
			}
			for _, o := range batch {
				if o.Kind == session.ObsIO {
					got = append(got, o)
				}
			}
		}
		want := []struct {
			words string
			t     time.Duration
			bytes int64
		}{{"c2s blocked server", 14 * time.Second, 6}, {"c2s unblocked server", 20 * time.Second, 0}, {"c2s eof client", 20 * time.Second, 0}}
		if len(got) != len(want) {
			t.Fatalf("got %v", got)
		}
		for i, w := range want {
			if o := got[i]; tell(o) != w.words || o.IO.Bytes != w.bytes || (time.Duration(o.T)-w.t).Abs() > time.Second {
				t.Errorf("got %s of %d bytes at %v, want %v", tell(o), o.IO.Bytes, time.Duration(o.T), w)
			}
		}
	})
}

func TestBlockedWriteIsShownToTheConsumer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tap := NewTap(time.Now(), TapConfig{})
		src, in := io.Pipe()
		_, dst := io.Pipe()
		r := &Relay{Tap: tap, Stream: session.S2C, Src: src, Dst: dst}
		r.Start()
		in.Write([]byte("stuck"))
		batch, _, err := tap.Take(0)
		if err != nil || len(batch) != 1 || string(batch[0].Data) != "stuck" {
			t.Errorf("got %v, %v", batch, err)
		}
		if now := time.Duration(tap.Now()); now >= DefaultStall {
			t.Errorf("seen only after %v", now)
		}
		r.Abandon()
		r.Release()
		<-r.Done()
	})
}

func TestReleaseAndAbandon(t *testing.T) {
	tap := tickingTap(TapConfig{})
	src, in := io.Pipe()
	_, dst := io.Pipe()
	r := &Relay{Tap: tap, Stream: session.S2C, Src: src, Dst: dst, Drain: true}
	r.Start()
	in.Write([]byte("nobody reads this"))
	r.Abandon()
	in.Write([]byte(", nor this"))
	r.Release()
	<-r.Done()
	story, data := recording(tap)
	if got := strings.Join(story, "; "); got != "s2c closed server" || string(data) != "nobody reads this, nor this" || r.Err() != nil {
		t.Errorf("got %q, %q, %v", got, data, r.Err())
	}
}
