package session_test

import (
	"fmt"
	"slices"
	"testing"

	"wiretea/session"
)

// odd reports every frame, under two rules in turn, and every third one twice.
type odd struct{}

func (odd) Check(ev *session.Event, r session.Reporter) {
	if ev.Kind != session.FrameSeen {
		return
	}
	f := session.Finding{Rule: fmt.Sprint("rule-", ev.Frame.Row%2), Severity: session.Error, Row: ev.Frame.Row, Last: ev.Frame.Row, Count: 1}
	r.Report(f)
	if ev.Frame.Row%3 == 0 {
		f.Rule = "third"
		r.Report(f)
	}
}

func TestReports(t *testing.T) {
	a := session.NewAnalyzer(session.Config{Checkers: []session.Checker{odd{}}})
	for n := range uint64(200) {
		a.Add(&session.Record{Kind: session.RecFrame, N: n + 1, Conn: 1, T: int64(n), T1: int64(n), Stream: session.S2C, Body: []byte(`{}`), Term: []byte("\n")})
	}
	s := a.Snapshot()
	if got := s.FindingRows(1, 4); s.Findings()[1].Rule != "third" || !slices.Equal(got, []uint32{0, 3, 6, 9}) {
		t.Errorf("%s stands at %v", s.Findings()[1].Rule, got)
	}
	if got := s.FindingRows(99, 4); got != nil {
		t.Errorf("a finding that is not there stands at %v", got)
	}
	set := s.RowsWhere(func(f *session.Finding) bool { return f.Rule != "rule-0" })
	for row := range uint32(300) {
		if want := row < 200 && (row%2 == 1 || row%3 == 0); set.Has(row) != want {
			t.Errorf("row %d: %t, want %t", row, set.Has(row), want)
		}
	}
	if session.RowSet(nil).Has(0) {
		t.Error("the empty set has a row")
	}
}
