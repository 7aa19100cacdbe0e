package pane_test

import (
	"testing"

	"wiretea/ui/pane"
	"wiretea/ui/panetest"
)

// TestSinceMark holds that the mark before counts, and the start where no mark is before.
func TestSinceMark(t *testing.T) {
	s := panetest.New(t)
	for _, at := range []float64{10, 20, 30, 40} {
		s.Client(at, `{"jsonrpc":"2.0","method":"x"}`)
	}
	c := s.Context()
	c.Snap, c.Time = c.Snap.Marked([]uint32{1}), pane.SinceMark
	for i, want := range []string{"0.010", "+0.000", "+0.010", "+0.020"} {
		if got := c.When(c.Snap.Row(uint32(i)).T, 0); got != want {
			t.Errorf("row %d is at %s, want %s", i, got, want)
		}
	}
}
