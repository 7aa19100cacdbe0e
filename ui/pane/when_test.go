package pane_test

import (
	"testing"
	"time"

	"wiretea/ui/pane"
	"wiretea/ui/panetest"
)

// TestSinceMark holds that the mark before counts, of several sessions on one clock the one that
// came last, and the start where no mark is before.
func TestSinceMark(t *testing.T) {
	open := func(begins time.Duration, marked ...uint32) *pane.Context {
		s := panetest.New(t)
		s.Header().T0 = panetest.T0.Add(begins)
		for _, at := range []float64{10, 20, 30, 40} {
			s.Client(at, `{"jsonrpc":"2.0","method":"x"}`)
		}
		c := s.Context()
		c.Snap, c.Time = c.Snap.Marked(marked), pane.SinceMark
		return c
	}
	alone, early, later := open(0, 1), open(0, 1), open(5*time.Millisecond, 2)
	for _, c := range []*pane.Context{early, later} {
		c.Base, c.All = panetest.T0, []*pane.Context{early, later}
	}
	for name, test := range map[string]struct {
		c    *pane.Context
		want [4]string
	}{
		"alone":       {alone, [4]string{"0.010", "+0.000", "+0.010", "+0.020"}},
		"beside":      {early, [4]string{"0.010", "+0.000", "+0.010", "+0.005"}},
		"beside, too": {later, [4]string{"0.015", "+0.005", "+0.000", "+0.010"}},
	} {
		for i, want := range test.want {
			if got := test.c.When(test.c.Snap.Row(uint32(i)).T, 0); got != want {
				t.Errorf("%s: row %d is at %s, want %s", name, i, got, want)
			}
		}
	}
}
