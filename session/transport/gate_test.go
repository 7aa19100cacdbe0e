package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"wiretea/session"
)

// A stamp is a ResponseFilter that takes out the lines that begin with "ours".
type stamp struct {
	mu      sync.Mutex
	taken   []string
	slipped []string
	over    int
}

func (j *stamp) Ours(line []byte, _ bool) bool {
	if !bytes.HasPrefix(line, []byte("ours")) {
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.taken = append(j.taken, string(line))
	return true
}

func (j *stamp) TooLong(part []byte, end bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.slipped = append(j.slipped, fmt.Sprint(len(part), end))
}

func (j *stamp) Ended() { j.over++ }

// gated is one stream behind a gate, on pipes of this process.
type gated struct {
	gate  *Gate
	judge *stamp
	tap   *Tap
	relay *Relay
	in    *io.PipeWriter
	out   *io.PipeReader
}

func startGated(stream session.Stream, limit int) *gated {
	g := &gated{judge: &stamp{}, tap: tickingTap(TapConfig{})}
	g.gate = NewGate(g.judge, limit)
	src, in := io.Pipe()
	out, dst := io.Pipe()
	g.in, g.out = in, out
	g.relay = &Relay{Tap: g.tap, Conn: 1, Stream: stream, Src: src, Dst: dst, Gate: g.gate}
	g.relay.Start()
	return g
}

// read reads n bytes of what comes out.
func (g *gated) read(t *testing.T, want string) {
	t.Helper()
	p := make([]byte, len(want))
	if _, err := io.ReadFull(g.out, p); err != nil || string(p) != want {
		t.Fatalf("came out %q, %v; want %q", p, err, want)
	}
}

// write has the sender write, from whichever goroutine.
func (g *gated) write(t *testing.T, text string) {
	if _, err := io.WriteString(g.in, text); err != nil {
		t.Errorf("writing %q: %v", text, err)
	}
}

// ways returns what a tap holds: the bytes of each way, and the events.
func ways(tap *Tap) (all, crossed, in, out string, events []string) {
	tap.Close()
	for {
		batch, _, err := tap.Take(0)
		if err != nil {
			return all, crossed, in, out, events
		}
		for _, o := range batch {
			switch {
			case o.Kind != session.ObsBytes:
				events = append(events, tell(o))
				continue
			case o.Way == session.Crossed:
				crossed += string(o.Data)
			case o.Way == session.WayIn:
				in += string(o.Data)
			case o.Way == session.WayOut:
				out += string(o.Data)
			}
			all += string(o.Data)
		}
	}
}

func TestPutBetweenLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := startGated(session.C2S, 0)
		put := func() <-chan error {
			done := make(chan error, 1)
			go func() { done <- g.gate.Put(t.Context(), []byte("ours\n")) }()
			synctest.Wait()
			return done
		}
		first := put()
		g.read(t, "ours\n") // before the client has said anything
		if err := <-first; err != nil {
			t.Fatal(err)
		}
		go g.write(t, "a\nb")
		g.read(t, "a\nb")
		synctest.Wait()
		second := put() // in the middle of a line
		select {
		case err := <-second:
			t.Fatalf("put into a line: %v", err)
		default:
		}
		go g.write(t, "b\nc\ndd") // split behind c
		g.read(t, "b\nc\nours\ndd")
		if err := <-second; err != nil {
			t.Fatal(err)
		}
		go g.write(t, "d\n")
		g.read(t, "d\n")
		g.in.Close()
		<-g.relay.Done()
		if err := g.gate.Put(t.Context(), []byte("ours\n")); !errors.Is(err, ErrStreamEnded) {
			t.Errorf("after the end: %v", err)
		}
		all, crossed, _, out, _ := ways(g.tap)
		if all != "ours\na\nbb\nc\nours\nddd\n" || crossed != "a\nbb\nc\nddd\n" || out != "ours\nours\n" {
			t.Errorf("recorded %q, of it crossed %q, ours %q", all, crossed, out)
		}
	})
}

// TestPutGivesUp holds that nothing is written once the time is over, and that a
// line that had begun is whole before the stream ends.
func TestPutGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := startGated(session.C2S, 0)
		go g.write(t, "half")
		g.read(t, "half")
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		began := time.Now()
		if err := g.gate.Put(ctx, []byte("ours\n")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("put into half a line: %v", err)
		}
		if waited := time.Since(began); waited != 5*time.Second {
			t.Errorf("gave up after %v", waited)
		}
		go g.write(t, "\n")
		g.read(t, "\n")
		done := make(chan error, 1)
		go func() { done <- g.gate.Put(t.Context(), []byte("ours\n")) }()
		g.read(t, "ou")
		g.in.Close() // The client ends while ours is being read.
		synctest.Wait()
		rest, err := io.ReadAll(g.out)
		if string(rest) != "rs\n" || err != nil || <-done != nil {
			t.Errorf("the rest is %q, %v", rest, err)
		}
	})
}

// TestPutTakesTurns holds that nobody starves: neither the client, whose chunks
// wait for one line each, nor those who put.
func TestPutTakesTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := startGated(session.C2S, 0)
		go g.write(t, "x")
		g.read(t, "x")
		var work sync.WaitGroup
		for range 8 {
			work.Go(func() {
				if err := g.gate.Put(t.Context(), []byte("ours\n")); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		go func() {
			for range 10 {
				g.in.Write([]byte("\nx"))
			}
			g.in.Write([]byte("\n"))
			g.in.Close()
		}()
		// Byte by byte, and only when the client's next chunk waits: a line that is
		// put before the client has come back takes no turn from it.
		var got []byte
		var err error
		for p := make([]byte, 1); err == nil; {
			synctest.Wait()
			var n int
			n, err = g.out.Read(p)
			got = append(got, p[:n]...)
		}
		work.Wait()
		if err != io.EOF || strings.Count(string(got), "ours\n") != 8 || strings.ReplaceAll(string(got), "ours\n", "") != "\n"+strings.Repeat("x\n", 10) {
			t.Errorf("%q, %v", got, err)
		}
		if strings.Contains(string(got), "ours\nours") {
			t.Errorf("the client waited for several at once: %q", got)
		}
	})
}

func TestHoldTakesLinesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := startGated(session.S2C, 0)
		step := func(write, want string) {
			t.Helper()
			go g.write(t, write)
			g.read(t, want)
			synctest.Wait()
		}
		step("a\nb", "a\nb")
		step("ours b\nours ", "ours b\nours ") // nothing is held yet
		g.gate.Hold()
		step("ours\nc\nour", "ours\nc\n") // ends a line that had begun
		step("s 1\r\nd\nours 2\nours 3\ne\nours", "d\ne\n")
		step("elf\nf\ng", "f\n")
		g.gate.Resume()
		go g.gate.Release()
		g.read(t, "g")
		step("g\nours 4\n", "g\nours 4\n")
		g.gate.Hold()
		go g.write(t, "h\nours 5") // the stream ends in a line of ours
		g.read(t, "h\n")
		synctest.Wait()
		g.in.Close()
		<-g.relay.Done()
		if want := []string{"ours 1\r\n", "ours 2\n", "ours 3\n", "ourself\n", "ours 5"}; !slices.Equal(g.judge.taken, want) {
			t.Errorf("taken %q, want %q", g.judge.taken, want)
		}
		if g.judge.over != 1 {
			t.Errorf("over %d times", g.judge.over)
		}
		all, _, in, _, events := ways(g.tap)
		if in != "ours 1\r\nours 2\nours 3\nourself\nours 5" || !strings.HasSuffix(all, "gg\nours 4\nh\nours 5") {
			t.Errorf("recorded %q, of it taken %q", all, in)
		}
		if got := strings.Join(events, "; "); got != "s2c eof server" {
			t.Errorf("events %q", got)
		}
	})
}

// TestHoldReleases holds that a line that is too long is forwarded, and that the
// next one is judged again.
func TestHoldReleases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := startGated(session.S2C, 10)
		g.gate.Hold()
		go g.write(t, "ours 56789")
		synctest.Wait()
		go g.write(t, "abc")
		g.read(t, "ours 56789abc")
		go g.write(t, "def\nours\nx\n")
		g.read(t, "def\nx\n")
		go g.write(t, "last")
		synctest.Wait()
		go func() {
			g.in.Close()
		}()
		g.read(t, "last")
		<-g.relay.Done()
		if want := []string{"13 false", "4 true"}; !slices.Equal(g.judge.slipped, want) {
			t.Errorf("slipped %q, want %q", g.judge.slipped, want)
		}
		_, _, in, _, events := ways(g.tap)
		if got := strings.Join(events, "; "); in != "ours\n" || got != "s2c released client; s2c eof server" {
			t.Errorf("taken %q, events %q", in, got)
		}
	})
}

// FuzzGate holds the gate's promise for any chunking of both streams and lines put
// in and taken out anywhere: each end gets what it would have got without it, and
// whole lines besides.
func FuzzGate(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed, uint8(seed*13), seed%3 == 0)
	}
	f.Fuzz(func(t *testing.T, seed uint64, lines uint8, small bool) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		limit := 0
		if small {
			limit = 64
		}
		toServer(t, rnd, int(lines))
		toClient(t, rnd, int(lines), limit)
	})
}

// text makes lines of any length, of which some are ours where that is allowed.
func text(rnd *rand.Rand, lines, ours int) (all, kept []byte) {
	for range lines {
		line := bytes.Repeat([]byte{byte('a' + rnd.IntN(26))}, rnd.IntN(40))
		if rnd.IntN(10) == 0 {
			line = bytes.Repeat([]byte("long"), rnd.IntN(400))
		}
		own := rnd.IntN(100) < ours
		if own {
			line = append([]byte("ours"), line[:min(len(line), 50)]...)
		}
		line = append(line, '\n')
		all = append(all, line...)
		if !own {
			kept = append(kept, line...)
		}
	}
	if rnd.IntN(2) == 0 {
		all, kept = append(all, "rest"...), append(kept, "rest"...)
	}
	return all, kept
}

// feed writes in chunks of any length.
func feed(w io.WriteCloser, rnd *rand.Rand, p []byte, between func()) {
	for len(p) > 0 {
		n := 1 + rnd.IntN(min(len(p), 1+rnd.IntN(300)))
		if _, err := w.Write(p[:n]); err != nil {
			return
		}
		p = p[n:]
		between()
	}
	w.Close()
}

func toServer(t *testing.T, rnd *rand.Rand, lines int) {
	g := startGated(session.C2S, 0)
	all, _ := text(rnd, lines, 0)
	var work sync.WaitGroup
	put := make([]error, 5)
	for i := range put {
		work.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			put[i] = g.gate.Put(ctx, fmt.Appendf(nil, "ours %d\n", i))
		})
	}
	work.Go(func() { feed(g.in, rnd, all, func() {}) })
	got, err := io.ReadAll(g.out)
	work.Wait()
	if err != nil {
		t.Fatal(err)
	}
	for i, err := range put {
		line, n := fmt.Appendf(nil, "ours %d\n", i), 1
		if err != nil {
			n = 0
		}
		if err != nil && !errors.Is(err, ErrStreamEnded) || bytes.Count(got, line) != n {
			t.Fatalf("%v, and it is there %d times", err, bytes.Count(got, line))
		}
		if at := bytes.Index(got, line); at > 0 && got[at-1] != '\n' {
			t.Fatalf("put into a line: %q", got)
		}
		got = bytes.Replace(got, line, nil, 1)
	}
	if !bytes.Equal(got, all) {
		t.Fatalf("the server got %q, without ours, of %q", got, all)
	}
	if seen, crossed, _, _, _ := ways(g.tap); crossed != string(all) || len(seen) < len(all) {
		t.Fatalf("recorded as crossed %q of %q", crossed, all)
	}
}

func toClient(t *testing.T, rnd *rand.Rand, lines, limit int) {
	g := startGated(session.S2C, limit)
	all, kept := text(rnd, lines, 20)
	toggles := rand.New(rand.NewPCG(rnd.Uint64(), 2))
	always := rnd.IntN(2) == 0
	if always {
		g.gate.Hold()
	}
	go feed(g.in, rnd, all, func() {
		if always || toggles.IntN(4) > 0 {
			return
		}
		if toggles.IntN(2) == 0 {
			g.gate.Hold()
		} else {
			g.gate.Resume()
			g.gate.Release()
		}
	})
	got, err := io.ReadAll(g.out)
	if err != nil {
		t.Fatal(err)
	}
	<-g.relay.Done()
	seen, crossed, in, _, _ := ways(g.tap)
	if seen != string(all) || crossed != string(got) {
		t.Fatalf("recorded %q of %q; crossed %q of %q", seen, all, crossed, got)
	}
	taken := strings.Join(g.judge.taken, "")
	if in != taken {
		t.Fatalf("recorded as taken %q of %q", in, taken)
	}
	if always && limit == 0 && !bytes.Equal(got, kept) {
		t.Fatalf("the client got %q, want %q", got, kept)
	}
	if always && len(got)+len(taken) != len(all) {
		t.Fatalf("%d bytes of %d are missing", len(all)-len(got)-len(taken), len(all))
	}
}

// BenchmarkGate is what a chunk costs the relay, reading and writing aside: without
// a gate, with one that nobody uses, and while lines are judged.
func BenchmarkGate(b *testing.B) {
	for _, c := range []struct {
		name   string
		stream session.Stream
		gate   bool
		hold   bool
	}{{"none", session.C2S, false, false}, {"c2s", session.C2S, true, false}, {"s2c", session.S2C, true, false}, {"held", session.S2C, true, true}} {
		b.Run(c.name, func(b *testing.B) {
			tap := tickingTap(TapConfig{})
			go func() {
				for {
					if _, _, err := tap.Take(0); err != nil {
						return
					}
				}
			}()
			r := &Relay{Tap: tap, Conn: 1, Stream: c.stream, to: nothing{}}
			if c.gate {
				r.Gate = NewGate(&stamp{}, 0)
				r.Gate.open(r)
			}
			if c.hold {
				r.Gate.Hold()
			}
			chunk := append(bytes.Repeat([]byte{'x'}, 199), '\n')
			b.ReportAllocs()
			for b.Loop() {
				r.carry(chunk)
			}
			tap.Close()
		})
	}
}

type nothing struct{}

func (nothing) Write(p []byte) (int, error) { return len(p), nil }
func (nothing) Close() error                { return nil }
