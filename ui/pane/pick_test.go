package pane_test

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/analysis"
	"wiretea/session"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
)

func stderr(_ *session.Snapshot, r session.Row) bool { return r.Kind == session.RowStderr }

// all runs a Picker until it has seen everything.
func all(t *testing.T, p *pane.RowPicker, s *session.Snapshot) {
	t.Helper()
	for cmd := p.Next(s); cmd != nil; cmd = p.Next(s) {
		if p.Next(s) != nil {
			t.Fatal("two commands at a time")
		}
		if !p.Take(cmd()) {
			t.Fatal("its own answer is not taken")
		}
	}
}

func TestPicker(t *testing.T) {
	s := panetest.New(t)
	s.Stderr(1, "one")
	s.Client(2, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	s.Stderr(3, "two")
	c := s.Context()
	p := pane.NewRowPicker(stderr)
	all(t, p, c.Snap)
	if got := p.Rows(); !slices.Equal(got, []uint32{0, 2}) || p.Seen() != c.Snap.Len() {
		t.Errorf("found %v of %d", got, p.Seen())
	}
	s.Stderr(4, "three")
	s.Update(c)
	all(t, p, c.Snap)
	if got := p.Rows(); !slices.Equal(got, []uint32{0, 2, 3}) {
		t.Errorf("found %v after one more", got)
	}
	if p.Next(c.Snap) != nil {
		t.Error("there is more to look at")
	}
}

func TestPickerLeavesOthersAlone(t *testing.T) {
	s := panetest.New(t)
	s.Stderr(1, "one")
	c := s.Context()
	p, q := pane.NewRowPicker(stderr), pane.NewRowPicker(stderr)
	msg := p.Next(c.Snap)()
	for _, msg := range []tea.Msg{nil, tea.KeyPressMsg{}, msg} {
		if q.Take(msg) {
			t.Errorf("%T was taken", msg)
		}
	}
}

// A frame that has not ended is nothing yet, and is found when it has.
func TestPickerWaitsForGrowingFrames(t *testing.T) {
	results := func(s *session.Snapshot, r session.Row) bool { return r.Kind == session.RowResult }
	s := panetest.New(t)
	s.Client(1, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	s.Client(1, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	s.Bytes(2, session.S2C, `{"jsonrpc":"2.0","id":1,"result":{"x":"`+strings.Repeat("x", 3<<20))
	s.Stderr(3, "working")
	c := s.Context()
	p := pane.NewRowPicker(results)
	all(t, p, c.Snap)
	if len(p.Rows()) != 0 || p.Seen() != c.Snap.Len() {
		t.Fatalf("found %v of %d", p.Rows(), p.Seen())
	}
	s.Bytes(4, session.S2C, "\"}}\n")
	s.Server(5, `{"jsonrpc":"2.0","id":2,"result":{}}`)
	s.Update(c)
	all(t, p, c.Snap)
	if got := p.Rows(); len(got) != 2 || got[0] >= got[1] {
		t.Errorf("found %v", got)
	}
}

// A snapshot of an earlier moment has fewer rows: those after it are forgotten, also
// where a command finds them meanwhile, and found again.
func TestPickerGoesBack(t *testing.T) {
	s := panetest.New(t)
	for i := range 6 {
		s.Stderr(float64(i+1), "line")
	}
	s.End()
	c := s.Context()
	whole := c.Snap
	past := func(n uint32) *session.Snapshot {
		snap, err := analysis.NewPlayback(c.Log, whole).At(t.Context(), n, 0)
		if err != nil {
			t.Fatal(err)
		}
		return snap
	}
	p := pane.NewRowPicker(stderr)
	all(t, p, whole)
	before := p.Rows()
	all(t, p, past(3))
	if got := p.Rows(); !slices.Equal(got, []uint32{0, 1, 2}) || p.Seen() != 3 {
		t.Errorf("of three rows: %v, %d seen", got, p.Seen())
	}
	late := p.Next(whole)()
	if p.Next(past(2)) != nil {
		t.Error("two commands at a time")
	}
	if !p.Take(late) {
		t.Error("its own answer is not taken")
	}
	if got := p.Rows(); !slices.Equal(got, []uint32{0, 1}) || p.Seen() != 2 {
		t.Errorf("what is found late: %v, %d seen", got, p.Seen())
	}
	all(t, p, whole)
	if got := p.Rows(); !slices.Equal(got, []uint32{0, 1, 2, 3, 4, 5}) || !slices.Equal(before, got) {
		t.Errorf("and on again: %v", got)
	}
}

func BenchmarkPicker(b *testing.B) {
	s := panetest.New(b)
	for i := range 200_000 {
		s.Stderr(float64(i), "x")
	}
	c := s.Context()
	b.ResetTimer()
	for b.Loop() {
		p := pane.NewRowPicker(stderr)
		for cmd := p.Next(c.Snap); cmd != nil; cmd = p.Next(c.Snap) {
			p.Take(cmd())
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(c.Snap.Len()), "ns/row")
}
