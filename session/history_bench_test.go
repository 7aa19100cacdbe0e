package session_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"wiretea/recorder"
	"wiretea/recorder/recordertest"
	"wiretea/session"
)

// million analyses a made-up session of a million frames.
func million(b *testing.B) *session.Snapshot {
	b.Helper()
	path := filepath.Join(b.TempDir(), "million.mcpcap.jsonl")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	if err := errors.Join(recordertest.Generate(f, recordertest.Options{Frames: 1_000_000, BodySize: 8}), f.Close()); err != nil {
		b.Fatal(err)
	}
	log, err := recorder.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer log.Close()
	a, r := session.NewAnalyzer(session.Config{}), recorder.NewReader(log, 0)
	var rec session.Record
	for {
		err := r.Next(&rec)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			b.Fatal(err)
		}
		a.Add(&rec)
	}
	return a.Snapshot()
}

// BenchmarkHistory is over a million frames: what it costs to make, to go anywhere,
// and to go a step back or on.
func BenchmarkHistory(b *testing.B) {
	snap := million(b)
	n := uint32(snap.Len())
	b.Run("new", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			session.NewHistory(snap)
		}
	})
	h := session.NewHistory(snap)
	b.Run("back", func(b *testing.B) {
		b.ReportAllocs()
		for at := n; b.Loop(); at-- {
			if at == 0 {
				at = n
			}
			h.At(at-1, 0)
		}
	})
	b.Run("anywhere", func(b *testing.B) {
		for k := uint32(1); b.Loop(); k++ {
			h.At(k*2654435761%n, 0)
		}
	})
	b.Run("row", func(b *testing.B) {
		then := h.At(n/2, 0)
		for k := uint32(0); b.Loop(); k++ {
			then.Row(k % (n / 2))
		}
	})
}
