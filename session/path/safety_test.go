package path

import (
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"wiretea/session"
	"wiretea/session/transport"
)

// A meter is a reader that keeps nothing but a sum, and calls at when it has read so much.
type meter struct {
	n    int64
	sum  uint32
	from int64
	at   func()
}

func (m *meter) Write(p []byte) (int, error) {
	m.sum = crc32.Update(m.sum, crc32.IEEETable, p)
	if m.n += int64(len(p)); m.at != nil && m.n >= m.from {
		m.at()
		m.at = nil
	}
	return len(p), nil
}

func (m *meter) Close() error { return nil }

// TestHoldHuge holds that a line of 100 MB which a filter and a policy would hold is not: it goes
// on byte by byte, or with on_error closed not at all, what comes behind it does, and memory
// stays bounded.
func TestHoldHuge(t *testing.T) {
	const (
		size  = 100 << 20
		bound = 80 << 20 // bound is what may be alive: a line that can be held while it grows, and what the tap keeps.
	)
	head := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"big","arguments":"`
	piece := []byte(strings.Repeat("x", 1<<20))
	alive := func() int64 {
		runtime.GC()
		var mem runtime.MemStats
		runtime.ReadMemStats(&mem)
		return int64(mem.HeapAlloc)
	}
	for _, closed := range []bool{false, true} {
		rules := "[[rule]]\nfilter='t:big'\naction='hold'\n"
		if closed {
			rules = "on_error='closed'\n" + rules
		}
		p, err := ParsePolicy([]byte(rules))
		if err != nil {
			t.Fatal(err)
		}
		i := NewInterceptor(InterceptConfig{Policy: p})
		gate := transport.NewGate(nil, 0)
		release := i.Guard(gate)
		tap := transport.NewTap(time.Now(), transport.TapConfig{Limit: 8 << 20})
		before := alive()
		in, client := io.Pipe()
		got, want := &meter{}, &meter{}
		check := func() {
			if now := alive() - before; now > bound {
				t.Errorf("closed %t: %d MB are in use", closed, now>>20)
			}
		}
		got.from, got.at = size*9/10, check
		relay := &transport.Relay{Tap: tap, Conn: 1, Stream: session.C2S, Src: in, Dst: got, Gate: gate}
		relay.Start()
		drained := make(chan struct{})
		go func() { // A tap that nobody reads is not what is tested.
			defer close(drained)
			for {
				if _, _, err := tap.Take(0); err != nil {
					return
				}
			}
		}()
		write := func(p []byte, goes bool) {
			if _, err := client.Write(p); err != nil {
				t.Error(err)
			}
			if goes {
				_, _ = want.Write(p)
			}
		}
		write([]byte(head), !closed)
		for range size >> 20 {
			write(piece, !closed)
		}
		if closed {
			check()
		}
		write([]byte("\"}}\n"), !closed)
		write([]byte(list+"\n"), true)
		client.Close()
		<-relay.Done()
		release()
		i.Close()
		tap.Close()
		<-drained
		if got.n != want.n || got.sum != want.sum {
			t.Errorf("closed %t: %d bytes of %d go on, the same: %t", closed, got.n, want.n, got.sum == want.sum)
		}
	}
}

// TestHoldOnce holds that a held message goes on at most once and is settled exactly once, however
// many decide on it at the same time: people who release, drop and edit, a client that goes away, a
// place that is closed, and the end of the session.
func TestHoldOnce(t *testing.T) {
	const rounds, n = 8, 200
	for round := range rounds {
		i := NewInterceptor(InterceptConfig{})
		var places []session.Intercept
		for _, by := range []string{"a", "b", "c", "holder"} {
			place, err := i.Open(by)
			if err != nil {
				t.Fatal(err)
			}
			places = append(places, place)
		}
		holder := places[3]
		if err := holder.Intercept(t.Context(), session.Interception{Filter: "m:tools/call"}); err != nil {
			t.Fatal(err)
		}
		var settled [n]atomic.Int32
		var wg, done sync.WaitGroup
		done.Add(n)
		begin := make(chan struct{})
		var withdrawals [n]func()
		for k := range n {
			text := []byte(asks(k, "tools/call", `"name":"echo"`))
			r := i.Decide(session.Carried{Conn: 1, Stream: session.C2S, Text: text})
			if r.Verb != session.Hold {
				t.Fatal("not held")
			}
			withdrawals[k] = r.Await(func(s session.Ruling, written func()) {
				if settled[k].Add(1) == 1 {
					done.Done()
				}
				if len(s.Text) > 0 && !bytes.Equal(s.Text, text) && string(s.Text) != "edited" {
					t.Errorf("%q goes on", s.Text)
				}
				written()
			})
		}
		act := func(do func()) {
			wg.Go(func() {
				<-begin
				do()
			})
		}
		for k, c := range []session.Choice{{Verb: session.Release}, {Verb: session.Drop}, {Verb: session.Release, Text: []byte("edited")}} {
			act(func() { _ = places[k].Decide(t.Context(), nil, c) })
			act(func() {
				for id := range n {
					_ = places[k].Decide(t.Context(), []uint64{uint64(id + 1)}, c) // Others may have decided.
				}
			})
		}
		act(func() {
			for _, withdraw := range withdrawals {
				withdraw()
			}
		})
		act(func() {
			if round%2 == 0 {
				_ = holder.Close()
			} else {
				i.Close()
			}
		})
		close(begin)
		wg.Wait()
		i.Close()
		done.Wait()
		for k := range n {
			if times := settled[k].Load(); times != 1 {
				t.Errorf("round %d: message %d is settled %d times", round, k+1, times)
			}
		}
	}
}

// TestUnrecorded holds that on_error decides while the decisions cannot be recorded: closed denies
// requests, and not what a session lives by; open leaves the rules in force.
func TestUnrecorded(t *testing.T) {
	for _, closed := range []bool{false, true} {
		rules := "[[rule]]\nid='no-echo'\nfilter='t:echo'\naction='deny'\n"
		if closed {
			rules = "on_error='closed'\n" + rules
		}
		perform(t, rules, func(s *stage) {
			var told []error
			place := s.i.Recording(func(reason error) { told = append(told, reason) })
			full := errors.New("the disk is full")
			place(full)
			s.says(s.client, echo, list, pinging)
			denied := func(why string) string {
				return `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"denied by policy, rule ` + why + `"}],"isError":true}}`
			}
			if closed {
				s.took(s.toServer, pinging)
				s.took(s.toClient, denied("on_error: its decisions cannot be recorded"),
					`{"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"denied by policy, rule on_error: its decisions cannot be recorded","data":{"rule":"on_error"}}}`)
			} else {
				s.took(s.toServer, list, pinging)
				s.took(s.toClient, denied("no-echo"))
			}
			s.says(s.server, answers(9, ""))
			s.took(s.toClient, answers(9, ""))
			place(nil)
			s.says(s.client, list)
			s.took(s.toServer, list)
			if len(told) != 2 || told[0] != full || told[1] != nil {
				t.Errorf("told %v", told)
			}
		})
	}
	var none *Interceptor
	none.Recording(nil)(errors.New("nothing decides")) // A session without one.
}
