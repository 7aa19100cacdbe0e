package transport

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"wiretea/session"
)

// idle are the methods of a session.Judge that a test does not need.
type idle struct{}

func (idle) On() bool                  { return true }
func (idle) Heads() bool               { return false }
func (idle) TooLong() string           { return "" }
func (idle) Ended(int, session.Stream) {}

// A decree is a Judge that goes by the first word of a line, and drops the first one that is too long.
type decree struct {
	idle
	long int
}

func (*decree) Decide(c session.Carried) session.Ruling {
	switch text := string(c.Text); {
	case strings.HasPrefix(text, "drop it"):
		return session.Ruling{Verb: session.Alter, By: "long"}
	case strings.HasPrefix(text, "drop"):
		return session.Ruling{Verb: session.Alter, By: "test"}
	case strings.HasPrefix(text, "alter"):
		return session.Ruling{Verb: session.Alter, By: "test", Text: []byte("altered")}
	case strings.HasPrefix(text, "refuse"):
		return session.Ruling{Verb: session.Refuse, By: "test", Back: [][]byte{[]byte("refused")}}
	case strings.HasPrefix(text, "note"):
		return session.Ruling{By: "test"}
	}
	return session.Ruling{}
}

func (d *decree) TooLong() string {
	if d.long++; d.long == 1 {
		return "long"
	}
	return ""
}

// TestJudge holds what comes out of both streams, and what the tap has of it, wherever the
// chunks end.
func TestJudge(t *testing.T) {
	const text = "one\ntwo\ndrop\nthree\nalter\nnote\nrefuse\ndrop it, because it is much too long\nkept, because it is also too long\nfour\nalter"
	const want = "one\ntwo\nthree\naltered\nnote\nkept, because it is also too long\nfour\naltered"
	for _, stream := range []session.Stream{session.C2S, session.S2C} {
		for _, size := range []int{1, 3, 7, 1000} {
			tap := tickingTap(TapConfig{})
			gate := NewGate(nil, 16)
			gate.Decide(&decree{})
			src, in := io.Pipe()
			out, dst := io.Pipe()
			relay := &Relay{Tap: tap, Conn: 1, Stream: stream, Src: src, Dst: dst, Gate: gate}
			relay.Start()
			go func() {
				for rest := text; rest != ""; {
					n := min(size, len(rest))
					_, _ = io.WriteString(in, rest[:n])
					rest = rest[n:]
				}
				in.Close()
			}()
			got, err := io.ReadAll(out)
			<-relay.Done()
			if err != nil || string(got) != want {
				t.Errorf("%v, chunks of %d: %q, %v", stream, size, got, err)
			}
			tap.Close()
			if diff := cmp.Diff(map[string]string{
				"in":  "drop\nalter\nrefuse\ndrop it, because it is much too long\nalter",
				"out": "altered\naltered",
				"by":  "drop: test\nalter: test\naltered of: test\nnote: test\nrefuse: test\nalter: test\naltered of: test\n",
			}, tapped(t, tap)); diff != "" {
				t.Errorf("%v, chunks of %d: the tap has (-want +got)\n%s", stream, size, diff)
			}
		}
	}
}

// tapped is what a tap has that did not cross, and what was decided.
func tapped(t *testing.T, tap *Tap) map[string]string {
	t.Helper()
	got := map[string]string{}
	var decided *session.Decided
	for {
		batch, _, err := tap.Take(0)
		for _, o := range batch {
			switch o.Kind {
			case session.ObsDecided:
				d := o.Decided
				decided = &d
			case session.ObsBytes:
				if o.Way != session.Crossed {
					got[o.Way.String()] += string(o.Data)
				}
				if decided != nil && decided.By != "long" {
					word := strings.TrimSpace(string(o.Data))
					if decided.Of != 0 {
						word += " of"
					}
					got["by"] += word + ": " + decided.By + "\n"
					decided = nil
				}
			default:
			}
		}
		if err != nil {
			return got
		}
	}
}

// TestJudgeAnswers holds that the answer to a line of one stream comes out of the other,
// between two lines of it, and before its end.
func TestJudgeAnswers(t *testing.T) {
	tap := tickingTap(TapConfig{})
	gate := NewGate(nil, 0)
	gate.Decide(&decree{})
	src, client := io.Pipe()
	sink, toServer := io.Pipe()
	fromServer, server := io.Pipe()
	got, toClient := io.Pipe()
	c2s := &Relay{Tap: tap, Conn: 1, Stream: session.C2S, Src: src, Dst: toServer, Gate: gate}
	s2c := &Relay{Tap: tap, Conn: 1, Stream: session.S2C, Src: fromServer, Dst: toClient, Gate: gate}
	c2s.Start()
	s2c.Start()
	go func() { _, _ = io.Copy(io.Discard, sink) }()
	read := make(chan string)
	go func() {
		all, _ := io.ReadAll(got)
		read <- string(all)
	}()
	_, _ = io.WriteString(server, "half a ")
	_, _ = io.WriteString(client, "refuse\n")
	client.Close()
	<-c2s.Done()
	_, _ = io.WriteString(server, "line\nrefuse too\n")
	server.Close()
	if text := <-read; text != "refused\nhalf a line\n" && text != "half a line\nrefused\n" {
		t.Errorf("%q", text)
	}
	<-s2c.Done()
}

// A postpone is a Judge that delays the lines that begin with "late", by an hour.
type postpone struct{ idle }

func (postpone) Decide(c session.Carried) session.Ruling {
	if !bytes.HasPrefix(c.Text, []byte("late")) {
		return session.Ruling{}
	}
	return session.Ruling{Verb: session.Alter, By: "test", Delay: time.Hour, Text: bytes.Clone(c.Text), More: [][]byte{[]byte("more")}}
}

// TestJudgeDelays holds that a delayed line lets others pass, comes after its time, and comes
// at once where the stream ends, in the order in which it came.
func TestJudgeDelays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, stream := range []session.Stream{session.C2S, session.S2C} {
			gate := NewGate(nil, 0)
			gate.Decide(postpone{})
			src, in := io.Pipe()
			got := &written{}
			relay := &Relay{Tap: tickingTap(TapConfig{}), Conn: 1, Stream: stream, Src: src, Dst: got, Gate: gate}
			relay.Start()
			_, _ = io.WriteString(in, "one\nlate 1\ntwo\n")
			synctest.Wait()
			if text := got.String(); text != "one\ntwo\n" {
				t.Errorf("%v: at first %q", stream, text)
			}
			time.Sleep(time.Hour)
			synctest.Wait()
			_, _ = io.WriteString(in, "late 2\nlate 3\n")
			in.Close()
			<-relay.Done()
			if text := got.String(); text != "one\ntwo\nlate 1\nmore\nlate 2\nmore\nlate 3\nmore\n" {
				t.Errorf("%v: at last %q", stream, text)
			}
		}
	})
}

// A written keeps what is written to it.
type written struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *written) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *written) Close() error { return nil }

func (s *written) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}
