package analysis

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"wiretea/recorder"
	"wiretea/recorder/recordertest"
	"wiretea/session"
	"wiretea/session/check"
)

// A memory is a log that is in memory and over.
type memory struct{ *bytes.Reader }

func (memory) Wait(context.Context, int64) error { return recorder.ErrFinished }

// shown is all that a snapshot shows, and for each row.
func shown(t *testing.T, s *session.Snapshot) string {
	t.Helper()
	text, err := json.Marshal([]any{s.Header(), s.End(), s.Totals(), s.Clock(), s.Findings(), s.Conns(), s.Methods(), s.InPath()})
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint32(s.Len()) {
		r := s.Row(i)
		text = fmt.Appendf(text, "\n%+v %q %q %q %d %v", r, s.Name(r.Method), s.Name(r.Target), s.ID(r), s.TripRow(i), s.RowFindings(i))
	}
	return string(text)
}

// cut analyses the first k records of a log, below 0 all; it returns where the last of them
// begins.
func cut(t *testing.T, log recorder.Log, k int) (s *session.Snapshot, records int, off int64) {
	t.Helper()
	a, r := session.NewAnalyzer(session.Config{Checkers: check.New()}), recorder.NewReader(log, 0)
	var rec session.Record
	for n := 0; ; n++ {
		if n == k {
			return a.Snapshot(), n, rec.Off
		}
		switch err := r.Next(&rec); {
		case errors.Is(err, io.EOF):
			return a.Snapshot(), n, rec.Off
		case err != nil:
			t.Fatal(err)
		}
		a.Add(&rec)
	}
}

// sessions are recordings of every kind.
func sessions(t *testing.T) map[string]memory {
	t.Helper()
	all := map[string]memory{}
	paths, err := filepath.Glob("../testdata/*" + recorder.Suffix)
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(path)] = memory{bytes.NewReader(data)}
	}
	for seed := range uint64(60) {
		all["seed "+strconv.FormatUint(seed, 10)] = memory{bytes.NewReader(recordertest.Random(seed))}
	}
	var long bytes.Buffer
	if err := recordertest.Generate(&long, recordertest.Options{Frames: 5000}); err != nil {
		t.Fatal(err)
	}
	all["long"] = memory{bytes.NewReader(long.Bytes())}
	return all
}

// TestPlayback goes to moments of sessions, there and back, and holds that each shows what a
// session showed that was cut off there, however often the way is interrupted.
func TestPlayback(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	stops := 0
	for name, log := range sessions(t) {
		rng := rand.New(rand.NewPCG(1, uint64(len(name))))
		whole, records, _ := cut(t, log, -1)
		// A line that has begun and has no row yet is not part of a moment.
		begins := func(s *session.Snapshot, off int64) bool {
			return s.Len() < whole.Len() && off >= whole.Row(uint32(s.Len())).Off
		}
		p := NewPlayback(log, whole)
		for range 12 {
			k := rng.IntN(records) + 1
			want, _, off := cut(t, log, k)
			if begins(want, off) {
				continue
			}
			// What comes at the same time and brings no row belongs to the moment.
			for next, n, off := cut(t, log, k+1); n == k+1 && next.Len() == want.Len() && next.Clock() == want.Clock() && !begins(next, off); next, n, off = cut(t, log, k+1) {
				want, k = next, k+1
			}
			got, err := p.At(ended, uint32(want.Len()), want.Clock())
			for was := -1; errors.Is(err, context.Canceled) && p.Rows() > was; got, err = p.At(ended, uint32(want.Len()), want.Clock()) {
				was, stops = p.Rows(), stops+1
			}
			if err != nil {
				t.Fatal(name, err)
			}
			if got != whole && shown(t, got) != shown(t, want) {
				t.Fatalf("%s, after record %d: it shows\n%.2000s\nwant\n%.2000s", name, k, shown(t, got), shown(t, want))
			}
		}
	}
	if stops < 10 {
		t.Errorf("it was interrupted %d times", stops)
	}
}

// TestPlaybackBetween holds that a moment is never within a record, and that going back from
// one leads to an earlier one.
func TestPlaybackBetween(t *testing.T) {
	for name, log := range sessions(t) {
		whole, _, _ := cut(t, log, -1)
		p := NewPlayback(log, whole)
		for n := uint32(whole.Len()); n > 0; {
			s, err := p.At(t.Context(), n, whole.TimeAt(n))
			if err != nil {
				t.Fatal(name, err)
			}
			if s.Len() < int(n) {
				t.Fatalf("%s: %d rows of %d", name, s.Len(), n)
			}
			was := n
			if n = p.Before(n); n >= was {
				t.Fatalf("%s: from %d back to %d", name, was, n)
			}
			if n > 200 {
				n /= 2
			}
		}
	}
}

// A forgetful log has lost what lies between its header and an offset.
type forgetful struct {
	memory
	head, from int64
}

func (f forgetful) Kept(off int64) int64 { return max(off, f.from) }

func (f forgetful) ReadAt(b []byte, off int64) (int, error) {
	switch {
	case off >= f.from:
		return f.memory.ReadAt(b, off)
	case off < f.head:
		return f.memory.ReadAt(b[:min(int64(len(b)), f.head-off)], off)
	}
	return 0, recorder.ErrEvicted
}

// TestPlaybackForgotten holds that a session without its beginning has no playback.
func TestPlaybackForgotten(t *testing.T) {
	data, err := os.ReadFile("../testdata/v1-full" + recorder.Suffix)
	if err != nil {
		t.Fatal(err)
	}
	head := int64(bytes.IndexByte(data, '\n') + 1)
	from := head + int64(bytes.IndexByte(data[head:], '\n')+1)
	log := memory{bytes.NewReader(data)}
	whole, _, _ := cut(t, log, -1)
	if _, err := NewPlayback(forgetful{log, head, from}, whole).At(t.Context(), 1, 0); !errors.Is(err, ErrForgotten) {
		t.Error(err)
	}
}

func BenchmarkPlayback(b *testing.B) {
	var file bytes.Buffer
	if err := recordertest.Generate(&file, recordertest.Options{Frames: 1_000_000, BodySize: 40}); err != nil {
		b.Fatal(err)
	}
	log := memory{bytes.NewReader(file.Bytes())}
	whole, _, err := Read(b.Context(), log, session.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	p := NewPlayback(log, whole)
	at := func(b *testing.B, n int) {
		if _, err := p.At(b.Context(), uint32(n), whole.TimeAt(uint32(n))); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("back", func(b *testing.B) {
		for n := whole.Len() - 1; b.Loop(); n-- {
			at(b, n)
		}
	})
	n := whole.Len() / 2
	at(b, n)
	b.Run("on", func(b *testing.B) {
		for b.Loop() {
			n = min(n+1, whole.Len()-1)
			at(b, n)
		}
	})
}
