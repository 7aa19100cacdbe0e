package transport

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"wiretea/session"
)

// ticks is a clock that is a nanosecond later each time it is asked.
type ticks struct{ n atomic.Int64 }

func (c *ticks) Now() int64 { return c.n.Add(1) }

// tickingTap is a tap with that clock.
func tickingTap(cfg TapConfig) *Tap {
	t := NewTap(time.Now(), cfg)
	t.clock = new(ticks).Now
	return t
}

// A ledger checks what comes out of a tap against what was put: the bytes of a
// stream follow from their place in it, so that lost, moved, altered and
// miscounted ones all show.
type ledger struct {
	t    *testing.T
	put  [3]int64
	seen [3]int64
	lost [3]int64
	last int64
}

func (l *ledger) chunk(s session.Stream, n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byteAt(l.put[s] + int64(i))
	}
	l.put[s] += int64(n)
	return p
}

func byteAt(i int64) byte { return byte(i ^ i>>8*31 ^ i>>16*7) }

func (l *ledger) read(batch []session.Observation) {
	l.t.Helper()
	for _, o := range batch {
		if o.T < l.last {
			l.t.Fatalf("time runs backwards: %d after %d", o.T, l.last)
		}
		l.last = o.T
		switch o.Kind {
		case session.ObsBytes:
			for _, b := range o.Data {
				if b != byteAt(l.seen[o.Stream]) {
					l.t.Fatalf("%s: byte %d is wrong", o.Stream, l.seen[o.Stream])
				}
				l.seen[o.Stream]++
			}
		case session.ObsGap:
			if o.Gap.Stream != o.Stream || o.Gap.Why != "memory" || o.Gap.Frames != -1 || o.Gap.Bytes <= 0 {
				l.t.Fatalf("odd gap: %+v", o.Gap)
			}
			l.seen[o.Stream] += o.Gap.Bytes
			l.lost[o.Stream] += o.Gap.Bytes
		}
	}
}

// drain takes all that waits and checks that nothing is unaccounted for.
func (l *ledger) drain(tap *Tap) {
	l.t.Helper()
	tap.Close()
	for {
		batch, backlog, err := tap.Take(0)
		if errors.Is(err, io.EOF) {
			break
		}
		l.read(batch)
		if backlog < 0 {
			l.t.Fatalf("backlog is %d", backlog)
		}
	}
	if l.put != l.seen {
		l.t.Fatalf("put %v, accounted for %v", l.put, l.seen)
	}
}

func TestTapKeepsEverythingBelowItsLimit(t *testing.T) {
	tap, l := tickingTap(TapConfig{Limit: 8 << 20}), ledger{t: t}
	for _, n := range []int{1, 200, slabSize - 1, slabSize, slabSize + 1, 3*slabSize + 17, 1} {
		tap.Put(1, session.C2S, session.Crossed, l.chunk(session.C2S, n))
		tap.Put(1, session.Stderr, session.Crossed, l.chunk(session.Stderr, 3))
	}
	l.drain(tap)
	if l.lost != [3]int64{} {
		t.Errorf("lost %v", l.lost)
	}
}

func TestTapCountsWhatItCannotKeep(t *testing.T) {
	tap, l := tickingTap(TapConfig{Limit: 4 * slabSize}), ledger{t: t}
	tap.Put(1, session.S2C, session.Crossed, l.chunk(session.S2C, 8*slabSize))
	for range 10 {
		tap.Put(1, session.S2C, session.Crossed, l.chunk(session.S2C, 1000))
		tap.Put(1, session.C2S, session.Crossed, l.chunk(session.C2S, 10))
	}
	tap.IO(1, session.S2C, session.IOEvent{Event: "blocked", Side: "client"})
	tap.Put(1, session.S2C, session.Crossed, l.chunk(session.S2C, slabSize))

	var order []session.Stream
	for {
		batch, _, _ := tap.Take(time.Nanosecond)
		if len(batch) == 0 {
			break
		}
		l.read(batch)
		for _, o := range batch {
			if o.Kind == session.ObsGap || o.Kind == session.ObsIO {
				order = append(order, o.Stream)
			}
		}
	}
	// A gap of s2c, one of c2s, the event, and what s2c lost behind that.
	if want := []session.Stream{session.S2C, session.C2S, session.S2C, session.S2C}; !slices.Equal(order, want) {
		t.Errorf("got gaps and events on %v, want %v", order, want)
	}

	// There is room again.
	before := l.lost
	tap.Put(1, session.S2C, session.Crossed, l.chunk(session.S2C, 1000))
	l.drain(tap)
	if l.lost != before || before[session.C2S] != 100 {
		t.Errorf("lost %v, and %v although there was room", before, l.lost)
	}
}

func TestTapNeverDropsEvents(t *testing.T) {
	tap := tickingTap(TapConfig{Limit: 4 * slabSize})
	tap.Put(1, session.S2C, session.Crossed, make([]byte, 8*slabSize))
	const n = 10_000
	for i := range n {
		tap.Proc(1, session.Proc{Event: "exit", Code: i})
	}
	tap.Close()
	next := 0
	for {
		batch, _, err := tap.Take(0)
		if err != nil {
			break
		}
		for _, o := range batch {
			if o.Kind == session.ObsProc {
				if o.Proc.Code != next {
					t.Fatalf("event %d came as %d", o.Proc.Code, next)
				}
				next++
			}
		}
	}
	if next != n {
		t.Errorf("%d events of %d", next, n)
	}
}

// FuzzTap puts and takes in any order, and holds the ledger.
func FuzzTap(f *testing.F) {
	f.Add(uint64(1), uint16(300))
	f.Add(uint64(7), uint16(500))
	f.Fuzz(func(t *testing.T, seed uint64, steps uint16) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		tap, l := tickingTap(TapConfig{Limit: 4*slabSize + rnd.Int64N(4*slabSize)}), ledger{t: t}
		for range steps % 512 {
			s := session.Streams[rnd.IntN(3)]
			switch rnd.IntN(8) {
			case 0:
				batch, _, _ := tap.Take(time.Nanosecond)
				l.read(batch)
			case 1:
				tap.IO(1, s, session.IOEvent{Event: "blocked"})
			case 2:
				tap.Put(1, s, session.Crossed, l.chunk(s, rnd.IntN(slabSize)))
			default:
				tap.Put(1, s, session.Crossed, l.chunk(s, rnd.IntN(2000)))
			}
		}
		l.drain(tap)
	})
}

func TestTapOrderIsTimeOrder(t *testing.T) {
	tap := NewTap(time.Now(), TapConfig{})
	const producers, each = 4, 5000
	var wg sync.WaitGroup
	for p := range producers {
		wg.Go(func() {
			last := int64(-1)
			for i := range each {
				at := tap.Put(p, session.C2S, session.Crossed, []byte{byte(i), byte(i >> 8)})
				if at < last {
					t.Errorf("producer %d: %d after %d", p, at, last)
				}
				last = at
				tap.Wake()
			}
		})
	}
	go func() { wg.Wait(); tap.Close() }()

	var next [producers]int
	last := int64(-1)
	for {
		batch, _, err := tap.Take(0)
		if err != nil {
			break
		}
		for _, o := range batch {
			if i := int(o.Data[0]) | int(o.Data[1])<<8; i != next[o.Conn] {
				t.Fatalf("producer %d: chunk %d came as %d", o.Conn, i, next[o.Conn])
			}
			next[o.Conn]++
			if o.T < last {
				t.Fatalf("time runs backwards: %d after %d", o.T, last)
			}
			last = o.T
		}
	}
	for p, n := range next {
		if n != each {
			t.Errorf("producer %d: %d chunks of %d", p, n, each)
		}
	}
}

func TestTakeWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		tap := NewTap(start, TapConfig{})
		take := func(timeout time.Duration, want string, wantErr error, after time.Duration) {
			t.Helper()
			batch, _, err := tap.Take(timeout)
			var got []byte
			for _, o := range batch {
				got = append(got, o.Data...)
			}
			if string(got) != want || !errors.Is(err, wantErr) || time.Since(start) != after {
				t.Errorf("got %q, %v after %v; want %q, %v after %v", got, err, time.Since(start), want, wantErr, after)
			}
		}
		at := func(d time.Duration, do func()) { time.AfterFunc(d-time.Since(start), do) }

		take(time.Second, "", nil, time.Second)
		at(2*time.Second, func() { tap.Put(1, session.C2S, session.Crossed, []byte("a")); tap.Wake() })
		take(0, "a", nil, 2*time.Second)
		at(3*time.Second, func() { tap.Put(1, session.C2S, session.Crossed, []byte("b")) }) // nobody wakes
		take(2*time.Second, "b", nil, 4*time.Second)
		at(5*time.Second, tap.Wake) // for nothing
		take(2*time.Second, "", nil, 6*time.Second)
		at(7*time.Second, tap.Close)
		take(0, "", io.EOF, 7*time.Second)
		tap.Put(1, session.C2S, session.Crossed, []byte("too late"))
		take(0, "", io.EOF, 7*time.Second)
	})
}

func TestWakesAreCoalesced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tap := NewTap(time.Now(), TapConfig{})
		var batches, chunks int
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				batch, _, err := tap.Take(0)
				if err != nil {
					return
				}
				batches++
				chunks += len(batch)
				time.Sleep(time.Second) // a consumer that is busy with its batch, on the bubble's clock
			}
		}()
		synctest.Wait()
		for range 1000 {
			tap.Put(1, session.C2S, session.Crossed, []byte("x"))
			tap.Wake()
		}
		time.Sleep(10 * time.Second)
		tap.Close()
		<-done
		if chunks != 1000 || batches > 2 {
			t.Errorf("%d chunks in %d batches", chunks, batches)
		}
	})
}

// TestTakeNaps lets a consumer alone after a batch, unless there is much, or an
// event.
func TestTakeNaps(t *testing.T) {
	const nap = 2 * time.Millisecond
	for name, c := range map[string]struct {
		then  func(*Tap) // then happens half a nap after the first batch.
		after time.Duration
	}{
		"little": {func(tap *Tap) { tap.Put(1, session.S2C, session.Crossed, []byte("b")) }, nap},
		"much":   {func(tap *Tap) { tap.Put(1, session.S2C, session.Crossed, make([]byte, batchBytes)) }, nap / 2},
		"much, bit by bit": {func(tap *Tap) {
			for range 2 {
				tap.Put(1, session.S2C, session.Crossed, make([]byte, batchBytes/2))
			}
		}, nap / 2},
		"event": {func(tap *Tap) { tap.IO(1, session.S2C, session.IOEvent{Event: "eof"}) }, nap / 2},
		"close": {func(tap *Tap) { tap.Put(1, session.S2C, session.Crossed, []byte("b")); tap.Close() }, nap / 2},
		"nothing": {func(tap *Tap) {
			time.AfterFunc(5*nap, func() { tap.Put(1, session.S2C, session.Crossed, []byte("c")); tap.Wake() })
		}, nap/2 - time.Microsecond + 5*nap},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tap := NewTap(time.Now(), TapConfig{BatchDelay: nap})
				tap.Put(1, session.C2S, session.Crossed, []byte("a"))
				start := time.Now()
				if batch, _, err := tap.Take(0); len(batch) != 1 || err != nil || time.Since(start) != 0 {
					t.Errorf("the first batch has %d, %v after %v", len(batch), err, time.Since(start))
				}
				time.AfterFunc(nap/2-time.Microsecond, func() { c.then(tap); tap.Wake() })
				batch, _, err := tap.Take(0)
				if len(batch) == 0 || err != nil || time.Since(start) != c.after {
					t.Errorf("the second batch has %d, %v after %v, want %v", len(batch), err, time.Since(start), c.after)
				}
				tap.Close()
				if _, _, err := tap.Take(0); !errors.Is(err, io.EOF) || time.Since(start) != c.after {
					t.Errorf("the end: %v after %v", err, time.Since(start))
				}
			})
		})
	}
}

func TestTakeForgetsEventsOfEarlierBatches(t *testing.T) {
	tap := tickingTap(TapConfig{})
	tap.Proc(1, session.Proc{Event: "start", PID: 1, FDs: []string{"pipe"}})
	tap.IO(1, session.S2C, session.IOEvent{Event: "eof"})
	tap.Take(0)
	tap.Put(2, session.S2C, session.Crossed, []byte("abc"))
	tap.Put(2, session.S2C, session.Crossed, []byte("d"))
	batch, _, _ := tap.Take(0)
	for _, o := range batch {
		if o.Proc.Event != "" || o.Proc.FDs != nil || o.IO.Event != "" || o.Conn != 2 {
			t.Errorf("left over: %+v", o)
		}
	}
	if len(batch) != 2 || !bytes.Equal(batch[0].Data, []byte("abc")) {
		t.Errorf("got %+v", batch)
	}
}
