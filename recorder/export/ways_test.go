package export_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"wiretea/recorder"
	"wiretea/recorder/export"
	"wiretea/session"
)

// A feeder is a Source of batches, of which the backlog is any number.
type feeder struct {
	batches [][]session.Observation
	rnd     *rand.Rand
	clock   *int64
}

func (f *feeder) Take(time.Duration) ([]session.Observation, int64, error) {
	if len(f.batches) == 0 {
		return nil, 0, io.EOF
	}
	batch := f.batches[0]
	f.batches = f.batches[1:]
	*f.clock = batch[len(batch)-1].T + f.rnd.Int64N(int64(time.Second))
	return batch, f.rnd.Int64N(2 << 20), nil
}

// TestBothEnds holds that both ends of both streams come out of a recording,
// whatever was injected and taken out, however long it was and however far the
// recorder had fallen behind; and that each injected line is a frame of its own.
func TestBothEnds(t *testing.T) {
	for seed := range uint64(10) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		var sender, receiver [2]bytes.Buffer
		var all []session.Observation
		clock, ours := int64(0), 0
		put := func(s session.Stream, way session.Way, p []byte) {
			for len(p) > 0 {
				n := min(len(p), 1+rnd.IntN(256<<10))
				all = append(all, session.Observation{Conn: 1, Stream: s, Way: way, T: clock, Data: bytes.Clone(p[:n])})
				if way != session.WayOut {
					sender[s].Write(p[:n])
				}
				if way != session.WayIn {
					receiver[s].Write(p[:n])
				}
				p = p[n:]
			}
			clock += rnd.Int64N(int64(700 * time.Millisecond))
		}
		for range 40 {
			s := session.Stream(rnd.IntN(2))
			size := rnd.IntN(100)
			if rnd.IntN(12) == 0 {
				size = rnd.IntN(5 << 19)
			}
			line := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"m","params":{"€":"%s"}}`+"\n", bytes.Repeat([]byte("é"), size/2))
			switch rnd.IntN(4) {
			case 0:
				way := session.WayOut
				if s == session.S2C {
					way = session.WayIn
				}
				put(s, way, line)
				ours++
			case 1: // A line in two, with a pause in which it may look stuck; nothing of ours may be in it.
				at := rnd.IntN(len(line))
				put(s, session.Crossed, line[:at])
				put(s, session.Crossed, line[at:])
			default:
				put(s, session.Crossed, line)
			}
		}
		feed := &feeder{rnd: rnd, clock: new(int64)}
		for len(all) > 0 {
			n := min(len(all), 1+rnd.IntN(9))
			feed.batches = append(feed.batches, all[:n])
			all = all[n:]
		}
		sink := recorder.NewMemory(1 << 30)
		w := recorder.NewWriter(sink, session.Header{Mode: "tee"}, recorder.Options{Now: func() int64 { return *feed.clock }, Bulk: 1 << 20})
		if err := w.Run(feed); err != nil {
			t.Fatal(err)
		}
		for _, s := range []session.Stream{session.C2S, session.S2C} {
			for end, want := range map[export.End]*bytes.Buffer{export.SenderEnd: &sender[s], export.ReceiverEnd: &receiver[s]} {
				var got bytes.Buffer
				if err := export.Bytes(&got, sink, export.Part{Stream: s, Conn: 1, End: end}); err != nil || !bytes.Equal(got.Bytes(), want.Bytes()) {
					t.Fatalf("seed %d, %v at end %d: %d bytes of %d, %v", seed, s, end, got.Len(), want.Len(), err)
				}
			}
		}
		wantWays(t, seed, sink, ours)
	}
}

// wantWays wants so many frames that did not just cross, each with a message.
func wantWays(t *testing.T, seed uint64, log recorder.Log, want int) {
	t.Helper()
	analyzer := session.NewAnalyzer(session.Config{})
	if err := (&recorder.Follower{Log: log, Analyzer: analyzer, Once: true}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, got := analyzer.Snapshot(), 0
	for i := range uint32(s.Len()) {
		r := s.Row(i)
		if r.Way == session.Crossed {
			continue
		}
		got++
		if r.Kind != session.RowNotification {
			t.Errorf("seed %d: row %d, %v %v, is %v", seed, i, r.Stream, r.Way, r.Kind)
		}
	}
	if got != want {
		t.Errorf("seed %d: %d frames have a way, want %d", seed, got, want)
	}
}
