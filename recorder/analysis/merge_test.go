package analysis

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"wiretea/recorder"
	"wiretea/session"
)

// TestMerged holds that a merged log has the findings of each of its sessions, at the same
// frames, and all their rows with the same bodies.
func TestMerged(t *testing.T) {
	paths, _ := filepath.Glob("../testdata/*.jsonl")
	var logs []recorder.Log
	var findings, rows []string
	for i, path := range paths {
		f, err := recorder.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		logs = append(logs, f)
		one, _, err := Read(t.Context(), f, session.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		findings, rows = append(findings, findingsOf(one, func(int) int { return i + 1 })...), append(rows, rowsOf(one, f, func(int) int { return i + 1 })...)
	}
	log := recorder.Merge(logs, paths)
	defer log.Close()
	all, _, err := Read(t.Context(), log, session.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, findings, findingsOf(all, all.Member))
	same(t, rows, rowsOf(all, log, all.Member))
	if all.Header() == nil || !slices.Equal(all.Members(), paths) || all.HeaderOf(2) == nil || all.HeaderOf(2).Members != nil {
		t.Errorf("the sessions are %v", all.Members())
	}
}

func findingsOf(s *session.Snapshot, member func(conn int) int) (list []string) {
	for _, f := range s.Findings() {
		list = append(list, fmt.Sprint(member(f.Conn), " ", s.Own(f.Conn), " ", f.Rule, " ", f.Severity, f.Fault, f.N, f.Count, " ", f.Message))
	}
	return list
}

func rowsOf(s *session.Snapshot, log recorder.Log, member func(conn int) int) (list []string) {
	for i := range uint32(s.Len()) {
		r := s.Row(i)
		body, _ := recorder.ReadFrame(log, r, 0, 1<<20)
		took, answered := s.Latency(i)
		list = append(list, fmt.Sprint(member(int(r.Conn)), " ", s.Own(int(r.Conn)), r.N, r.Kind, r.Flags, r.Sev, r.Stream, r.Way, took, answered, " ", s.Name(r.Method), s.Name(r.Target), s.ID(r), string(body)))
	}
	return list
}

func same(t *testing.T, want, got []string) {
	t.Helper()
	slices.Sort(want)
	slices.Sort(got)
	if slices.Equal(want, got) && len(want) > 0 {
		return
	}
	t.Errorf("%d, not %d", len(got), len(want))
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("lacks %.300s", line)
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("has also %.300s", line)
		}
	}
}
