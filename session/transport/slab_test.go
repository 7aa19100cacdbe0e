package transport

import (
	"bytes"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"wiretea/session"
)

func TestTapDoesNotAllocate(t *testing.T) {
	tap, chunk := NewTap(time.Now(), TapConfig{}), make([]byte, 200)
	round := func() {
		for range 100 {
			tap.Put(1, session.C2S, session.Crossed, chunk)
			tap.Wake()
		}
		tap.Take(0)
	}
	round()
	round()
	if n := testing.AllocsPerRun(100, round); n > 0 {
		t.Errorf("%v allocations for 100 chunks", n)
	}
}

// TestFloodsReuseMemory holds that a flood up to the limit takes no memory but that of the
// one before, in a lasting tap, and that Trim gives it back.
func TestFloodsReuseMemory(t *testing.T) {
	const limit = 8 << 20
	for name, tt := range map[string]struct {
		lasting bool
		kept    int
	}{"lasting": {true, limit / slabSize}, "default": {false, defaultFree / slabSize}} {
		t.Run(name, func(t *testing.T) {
			tap, chunk := NewTap(time.Now(), TapConfig{Limit: 2 * limit, Lasting: tt.lasting}), bytes.Repeat([]byte("x"), slabSize)
			for range 3 {
				for range limit / slabSize {
					tap.Put(1, session.C2S, session.Crossed, chunk)
				}
				for taken := 0; taken < limit; {
					batch, _, err := tap.Take(0)
					if err != nil {
						t.Fatal(err)
					}
					for _, o := range batch {
						taken += len(o.Data)
					}
				}
				tap.mu.Lock()
				tap.takeBack()
				if tap.frees != tt.kept || tap.held != 0 {
					t.Errorf("%d slabs are free, want %d; %d bytes wait", tap.frees, tt.kept, tap.held)
				}
				tap.mu.Unlock()
			}
			tap.Trim()
			if !tt.lasting && tap.frees != 0 {
				t.Errorf("%d slabs are free after Trim", tap.frees)
			}
			for s := tap.free; s != nil; s = s.next {
				if s.outside == nil || slices.ContainsFunc(s.outside, func(b byte) bool { return b != 0 }) {
					t.Error("Trim has not given back the memory of a slab")
				}
			}
		})
	}
}

func TestBacklogCountsWhatWaits(t *testing.T) {
	tap := tickingTap(TapConfig{})
	for range 3 {
		tap.Put(1, session.C2S, session.Crossed, make([]byte, slabSize))
	}
	tap.Put(1, session.C2S, session.Crossed, make([]byte, 10))
	for _, want := range []int64{2*slabSize + 10 + 3*entrySize, slabSize + 10 + 2*entrySize, 10 + entrySize, 0} {
		if _, backlog, _ := tap.Take(0); backlog != want {
			t.Errorf("backlog %d, want %d", backlog, want)
		}
		defer tap.Keep().Close() // What is kept does not wait.
	}
}

func BenchmarkTap(b *testing.B) {
	for _, size := range []int{200, 10 << 10, 64 << 10} {
		b.Run(sizeName(size), func(b *testing.B) {
			tap, chunk := NewTap(time.Now(), TapConfig{}), make([]byte, size)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for i := range b.N {
				tap.Put(1, session.C2S, session.Crossed, chunk)
				if i%4 == 3 {
					tap.Take(0)
				}
			}
		})
	}
}

func sizeName(n int) string {
	switch {
	case n >= 1<<20:
		return "1MB"
	case n >= 64<<10:
		return "64KB"
	case n >= 10<<10:
		return "10KB"
	}
	return "200B"
}

// TestTapWaits holds that who puts waits at the limit for a consumer that takes, so that
// nothing is lost, and only once for one that does not.
func TestTapWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const patience = 500 * time.Millisecond
		tap := NewTap(time.Now(), TapConfig{Limit: 1 << 20, Patience: patience})
		l := &ledger{t: t}
		data := l.chunk(session.S2C, 8<<20)
		put := make(chan bool)
		go func() {
			defer close(put)
			tap.Put(1, session.S2C, session.Crossed, data)
		}()
		synctest.Wait()
		for range 32 { // Each is 256 KiB.
			time.Sleep(patience / 10)
			batch, _, err := tap.Take(time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			l.read(batch)
		}
		<-put
		if l.lost[session.S2C] > 0 || l.seen[session.S2C] != 8<<20 {
			t.Fatalf("%d bytes came out, %d were lost", l.seen[session.S2C], l.lost[session.S2C])
		}

		began := time.Now()
		for range 16 {
			tap.Put(1, session.S2C, session.Crossed, l.chunk(session.S2C, 256<<10))
		}
		if waited := time.Since(began); waited != patience {
			t.Errorf("the traffic waited %v for a consumer that hangs", waited)
		}
		tap.Close()
		l.drain(tap)
		if l.lost[session.S2C] == 0 {
			t.Error("a tap of 1 MiB has kept 4 MiB")
		}
	})
}

// TestTapGoesOnWhenEmpty holds that Put, which waits for room, continues when the consumer has
// taken everything: a consumer that keeps most of the memory for a line needs the line's end.
func TestTapGoesOnWhenEmpty(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const slabs, kept = 8, 5
		tap := NewTap(time.Now(), TapConfig{Limit: slabs << 18, Patience: time.Hour})
		l := &ledger{t: t}
		data := l.chunk(session.S2C, 4<<20)
		began := time.Now()
		go func() {
			tap.Put(1, session.S2C, session.Crossed, data)
			tap.Wake()
		}()
		synctest.Wait()
		for i := range len(data) >> 18 {
			batch, _, err := tap.Take(time.Minute)
			if err != nil || len(batch) == 0 {
				t.Fatalf("after %d slabs: %d observations, %v", i, len(batch), err)
			}
			l.read(batch)
			if i < kept {
				defer tap.Keep().Close()
			}
		}
		if waited := time.Since(began); waited > 0 || l.lost[session.S2C] > 0 {
			t.Errorf("waited %v, and %d bytes were lost", waited, l.lost[session.S2C])
		}
		tap.Close()
	})
}

// TestClosedTapIsNotWaitedFor holds that Close ends a wait.
func TestClosedTapIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tap := NewTap(time.Now(), TapConfig{Limit: 1 << 20, Patience: time.Hour})
		put := make(chan bool)
		go func() {
			defer close(put)
			tap.Put(1, session.S2C, session.Crossed, make([]byte, 2<<20))
		}()
		synctest.Wait()
		tap.Close()
		<-put
	})
}
