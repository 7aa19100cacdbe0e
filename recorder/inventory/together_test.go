package inventory

import (
	"testing"
	"time"
)

// TestTogether holds which sessions are taken for those of one client process.
func TestTogether(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	at := func(path string, parent, begins, length int) Session {
		return Session{Path: path, Parent: parent, Mode: "tee", Start: noon.Add(time.Duration(begins) * time.Second), Length: time.Duration(length) * time.Second}
	}
	run, torn := at("run", 7, 0, 9), at("torn", 7, 1, 9)
	run.Mode, torn.Fault = "run", "it is torn"
	inv := &Inventory{
		Live: []Session{at("live mail", 9, 4000, 0), at("live files", 9, 0, 0)},
		Recordings: []Session{
			at("c", 7, 300, 10), at("b", 7, 2, 280), at("a", 7, 0, 5), at("day after", 7, 86400, 5), at("other", 8, 0, 5), at("orphan", 1, 0, 5), at("orphan too", 1, 0, 5), run, torn,
		},
	}
	for path, want := range map[string][]string{
		"a": {"a", "b", "c"}, "c": {"a", "b", "c"}, // c began while b went on.
		"day after": nil, "other": nil, "orphan": nil, "run": nil, "torn": nil,
		"live mail": {"live files", "live mail"}, // Both go on.
	} {
		found := false
		for _, list := range [][]Session{inv.Live, inv.Recordings} {
			for i := range list {
				if list[i].Path != path {
					continue
				}
				found = true
				got := inv.Together(&list[i])
				if len(got) != len(want) {
					t.Errorf("%s: with %v, want %v", path, got, want)
					continue
				}
				for k := range got {
					if got[k].Path != want[k] {
						t.Errorf("%s: %s is with it, want %s", path, got[k].Path, want[k])
					}
				}
			}
		}
		if !found {
			t.Fatal(path)
		}
	}
}
