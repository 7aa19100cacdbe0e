package traffic

import (
	"fmt"
	"strings"
	"testing"

	"wiretea/session"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
)

// sort sorts the rows, and returns the record numbers of the first ones shown.
func (s *stage) sort(name string, turn bool) string {
	s.t.Helper()
	by, err := ParseSorting(name, turn)
	if err != nil {
		s.t.Fatal(err)
	}
	s.run(s.p.Sort(s.c, by))
	return s.shown()
}

// shown are the record numbers of the first rows shown.
func (s *stage) shown() string {
	var b strings.Builder
	for _, i := range s.p.shown()[:min(len(s.p.shown()), 6)] {
		fmt.Fprintf(&b, " %d", s.c.Snap.Row(i).N)
	}
	return strings.TrimSpace(b.String())
}

// TestSort holds that rows are shown in the order of a column, with the cursor on the
// first of them, and that moving goes from line to line.
func TestSort(t *testing.T) {
	s := newStage(t, everything(), false)
	s.do(keys.Top)
	value := func(by column, i uint32) int64 {
		w := s.p.sortWork(s.c, Sorting{by: by})
		if v := w.value(i); !v.None {
			return v.N
		}
		return -1
	}
	for _, by := range []column{colLatency, colSize, colFinding} {
		s.sort(ColumnNames[by], false)
		rows := s.p.shown()
		if len(rows) != len(s.p.list()) {
			t.Fatalf("%d of %d rows", len(rows), len(s.p.list()))
		}
		for k := 1; k < len(rows); k++ {
			if value(by, rows[k]) > value(by, rows[k-1]) {
				t.Errorf("by %s: row %d is above row %d", ColumnNames[by], rows[k-1], rows[k])
			}
		}
		if first := s.c.Snap.Row(rows[0]).N; s.cursor() != first {
			t.Errorf("by %s the cursor is on %d, want %d", ColumnNames[by], s.cursor(), first)
		}
		if title := s.title(); !strings.Contains(title, "by "+ColumnNames[by]+" ▾") {
			t.Errorf("the title says %q", title)
		}
	}
	s.sort("latency", false)
	s.do(keys.Top)
	slowest := s.p.Cursor()
	s.do(keys.Down)
	if second := s.p.Cursor(); value(colLatency, second) > value(colLatency, slowest) || second == slowest {
		t.Errorf("below row %d is row %d", slowest, second)
	}
	s.screen(100, 30, false)
	if s.sort("", false); s.p.isSorted() || s.title() == "" || strings.Contains(s.title(), "by ") {
		t.Errorf("the rows are still sorted: %s", s.title())
	}
	if down := s.sort("n", true); !strings.HasPrefix(down, fmt.Sprint(s.c.Snap.Row(s.p.list()[len(s.p.list())-1]).N)) {
		t.Errorf("the newest is not first: %s", down)
	}
	for _, wrong := range []string{"info", "nonsense\x1b"} {
		if _, err := ParseSorting(wrong, false); err == nil || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

// TestHeads holds that a click on a column's head sorts by it, then the other way round, and
// then no more.
func TestHeads(t *testing.T) {
	s := newStage(t, everything(), false)
	head := func() string { return strings.Split(s.screen(118, 26, false), "\n")[1] }
	click := func(word string) {
		t.Helper()
		x := strings.Index(head(), word)
		if x < 0 {
			t.Fatalf("no %q in %q", word, head())
		}
		s.tell(pane.ClickMsg{X: x, Y: 0})
	}
	for _, step := range []struct {
		word, says string
		by         column
		turn       bool
	}{
		{"latency", "latency▾", colLatency, false}, {"latency", "latency▴", colLatency, true}, {"latency", "latency", colN, false},
		{"what", "what▴", colWhat, false}, {"size", "size▾", colSize, false},
		{"time", "n▾", colN, true}, {" n▾", " n ", colN, false},
	} {
		click(step.word)
		if !strings.Contains(head(), step.says) || s.p.sort.by != step.by || s.p.sort.turn != step.turn {
			t.Errorf("after a click on %q: %q, by %s, turned %t", step.word, head(), ColumnNames[s.p.sort.by], s.p.sort.turn)
		}
	}
	// A row below the heads is selected by a click on it.
	s.tell(pane.ClickMsg{X: 20, Y: 1})
	if s.p.Cursor() != s.p.shown()[s.p.where(s.p.h)] {
		t.Error("the click selected another row")
	}
	// Where there is little room there are no heads.
	if got := strings.Split(s.screen(78, 9, false), "\n")[1]; strings.Contains(got, "latency") {
		t.Errorf("heads: %q", got)
	}
}

// TestSortFollowsTheSession holds that rows that come are sorted too, in commands where they
// are many, and that what filters and folds leave is what is sorted.
func TestSortFollowsTheSession(t *testing.T) {
	tape := newTape()
	for i := range 3 * inline {
		tape.frame("c2s", float64(i), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t%d"}}`, i, i%7))
	}
	s := newStage(t, tape, true)
	s.sort("what", false)
	if len(s.p.shown()) != 3*inline || !s.p.isSorted() {
		t.Fatalf("%d rows, sorted %t", len(s.p.shown()), s.p.isSorted())
	}
	tape.frame("c2s", 4*inline, `{"jsonrpc":"2.0","id":"x","method":"aaa"}`)
	s.look()
	if got := s.c.Snap.Name(s.c.Snap.Row(s.p.shown()[0]).Method); got != "aaa" {
		t.Errorf("%s is first", got)
	}
	s.filter("t:t3")
	if rows := s.p.shown(); s.c.Snap.Name(s.c.Snap.Row(rows[0]).Target) != "t3" || len(rows) != len(s.p.list()) {
		t.Errorf("%d rows under a filter", len(rows))
	}
	s.filter("")
	s.do(keys.Exchanges)
	if rows := s.p.shown(); len(rows) != len(s.p.list()) || s.p.Cursor() == session.NoRow {
		t.Errorf("%d of %d rows", len(rows), len(s.p.list()))
	}
	s.p.Follow(s.c)
	if s.p.isSorted() {
		t.Error("what follows is sorted")
	}
}
