package recorder

import (
	"bytes"
	"io"
	"testing"
	"time"

	"wiretea/session"
)

// A crowdedSource says of each of its batches that much waits behind it, and of the next
// one that nothing does.
type crowdedSource struct{ lines int }

func (s *crowdedSource) Take(time.Duration) ([]session.Observation, int64, error) {
	if s.lines == 0 {
		return nil, 0, io.EOF
	}
	s.lines--
	line := []byte(`{"jsonrpc":"2.0","method":"a"}` + "\n")
	return []session.Observation{{Kind: session.ObsBytes, Conn: 1, Stream: session.C2S, T: int64(100 - s.lines), Data: line}}, int64(s.lines%2) * raiseFrom, nil
}

// TestYield holds that the record is the same whether or not the traffic goes first, and
// that each batch is recorded once when the priority changes.
func TestYield(t *testing.T) {
	var records [2][]byte
	idle := 0
	for i := range records {
		var out bytes.Buffer
		hdr := header()
		w := NewWriter(NewSink(&out), hdr, Options{Yield: i == 1, Now: func() int64 { return 100 }, Wall: func() time.Time { return hdr.T0.Add(100) }, Idle: func() { idle++ }})
		if err := w.Run(&crowdedSource{lines: 50}); err != nil {
			t.Fatal(err)
		}
		records[i] = out.Bytes()
	}
	if !bytes.Equal(records[0], records[1]) || bytes.Count(records[1], []byte("\n")) != 52 {
		t.Errorf("got\n%s\nwant\n%s", records[1], records[0])
	}
	if idle > 0 {
		t.Errorf("Idle was called %d times", idle)
	}
}

// TestYieldFails holds that a panic of the recorder comes to the caller of Run.
func TestYieldFails(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Run has returned")
		}
	}()
	w := NewWriter(NewMemory(0), header(), Options{Yield: true})
	_ = w.Run(failingSource{})
}

type failingSource struct{}

func (failingSource) Take(time.Duration) ([]session.Observation, int64, error) { panic("a fault") }
