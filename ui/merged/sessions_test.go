package merged

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"wiretea/recorder/merge"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
	"wiretea/ui/traffic"
)

// TestFirstRowWhileRead holds that the cursor begins on the first row of all sessions, in
// whatever order they are read, and that it stays where somebody has moved it.
func TestFirstRowWhileRead(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}} {
		all := []*panetest.Session{server(t, time.Second, "one", 5), server(t, 0, "two", 5), server(t, 2*time.Second, "three", 5)}
		for _, w := range all {
			w.End()
		}
		s := newUnread(t, all...)
		s.run(s.sessions.Begin())
		for _, i := range order {
			s.run(s.tabs[i].Tell(pane.MovedMsg{}))
		}
		if got, want := s.sessions.List().Row(), (merge.Row{Session: 1, Row: 0}); got != want || s.sessions.At() != 1 {
			t.Errorf("read in the order %v the cursor is on %v, want %v", order, got, want)
		}
		s.do(keys.Down)
		on := s.sessions.List().Row()
		s.more()
		if got := s.sessions.List().Row(); got != on || on.Row == 0 {
			t.Errorf("the cursor went from %v to %v", on, got)
		}
	}
}

// TestSort holds that the rows of all sessions are shown in the order of a column, with the
// cursor on its row and the panes with it, and that the order is that of one session's list.
func TestSort(t *testing.T) {
	s := newStage(t, three(t)...)
	byClock := s.shown()
	for range 4 {
		s.do(keys.Down)
	}
	on := s.sessions.List().Row()
	for _, name := range traffic.SortNames() {
		for _, turn := range []bool{false, true} {
			s.sort(name, turn)
			rows := s.shown()
			if got := s.sessions.List().Row(); got != on || s.sessions.List().rows.row(s.sessions.List().at) != on || s.sessions.At() != on.Session {
				t.Errorf("by %s the cursor is on %v, want %v", name, got, on)
			}
			by, _ := traffic.ParseSorting(name, turn)
			if title := s.title(); by.On() != strings.HasSuffix(title, by.Title()) {
				t.Errorf("by %s, turned %t, the title says %q", name, turn, title)
			}
			had := map[merge.Row]bool{}
			for _, r := range rows {
				had[r] = true
			}
			if len(had) != len(byClock) {
				t.Fatalf("by %s: %d of %d rows", name, len(had), len(byClock))
			}
			// The rows of each session are in the order in which its own list has them.
			for i, tab := range s.tabs {
				value := tab.Traffic.Valued(&tab.Ctx, by)
				var last *traffic.Value
				for _, r := range rows {
					if r.Session != i {
						continue
					}
					v := value(r.Row)
					if last != nil && wrong(*last, v, turn) {
						t.Errorf("by %s, turned %t: %v after %v", name, turn, v, *last)
					}
					last = &v
				}
			}
		}
	}
	// Values of several sessions are compared with each other.
	s.sort("latency", false)
	if first := s.shown()[:2]; first[0].Session != 1 || first[1].Session != 2 {
		t.Errorf("the slowest two are %v", first)
	}
	s.sort("connection", false)
	if rows := s.shown(); !slices.IsSortedFunc(rows, func(a, b merge.Row) int { return a.Session - b.Session }) {
		t.Errorf("by connection: %v", rows)
	}
	s.sort("time", true)
	turned := s.shown()
	if slices.Reverse(turned); !slices.Equal(turned, byClock) {
		t.Errorf("the newest first: %v", turned)
	}
	s.do(keys.Top)
	if got := s.sessions.List().Row(); got != byClock[len(byClock)-1] {
		t.Errorf("the first line is %v", got)
	}
	if s.sort("", false); !slices.Equal(s.shown(), byClock) || strings.Contains(s.title(), "by ") {
		t.Errorf("the rows are still sorted: %s", s.title())
	}
}

// wrong reports whether a value comes before another that must come first.
func wrong(a, b traffic.Value, turn bool) bool {
	if a.None || b.None {
		return a.None && !b.None
	}
	if turn {
		a, b = b, a
	}
	return a.N < b.N || a.N == b.N && a.Text > b.Text
}

// TestNextWhileSorted holds that the next finding is the next in the order that is shown.
func TestNextWhileSorted(t *testing.T) {
	s := newStage(t, three(t)...)
	s.sort("finding", false)
	s.do(keys.Bottom)
	s.do(keys.FindNext)
	if got := s.sessions.List().Row(); got != s.shown()[0] || got.Session != 1 {
		t.Errorf("the next finding is at %v, %q", got, s.said)
	}
	if s.said != "searched on from the other end" {
		t.Errorf("it says %q", s.said)
	}
}

// TestHeads holds that a click on a column's head sorts by it, then the other way round, then
// no more; that a row below is selected and a second click opens it; and that the edges of the
// columns are where they are drawn.
func TestHeads(t *testing.T) {
	s := newStage(t, three(t)...)
	click := func(word string) {
		t.Helper()
		head := s.screen(120, 30)[0]
		x := strings.Index(head, word)
		if x < 0 {
			t.Fatalf("no %q in %q", word, head)
		}
		s.run(s.sessions.Click(pane.ClickMsg{X: ansi.StringWidth(head[:x])}))
	}
	for _, step := range []struct{ word, says string }{
		{"latency", "latency▾"}, {"latency", "latency▴"}, {"latency", "latency"}, {"what", "what▴"}, {"size", "size▾"}, {"time", "n▾"}, {"n▾", " n "},
	} {
		click(step.word)
		if head := s.screen(120, 30)[0]; !strings.Contains(head, step.says) {
			t.Errorf("after a click on %q: %q", step.word, head)
		}
	}
	s.run(s.sessions.Click(pane.ClickMsg{X: 40, Y: 3}))
	if got := s.sessions.List().Row(); got != s.shown()[2] {
		t.Errorf("the third line is %v, selected is %v", s.shown()[2], got)
	}
	if s.run(s.sessions.Click(pane.ClickMsg{X: 40, Y: 3, Double: true})); s.focus != keys.Detail {
		t.Errorf("a second click shows %q", s.focus)
	}
	lines := s.screen(120, 30)
	edge := strings.Index(lines[0], "time") + len("time")
	if got := s.sessions.HeadEdge(edge, 0); got != "time" {
		t.Errorf("at %d of %q is the edge of %q", edge, lines[0], got)
	}
	if s.sessions.HeadEdge(edge, 1) != "" || s.sessions.HeadEdge(edge-2, 0) != "" {
		t.Error("a cell beside the edges counts as one")
	}
	if was, to := s.sessions.ColumnWidth("time"), s.sessions.WidthTo("time", edge+3); to != was+3 {
		t.Errorf("three cells further the column is %d wide, and was %d", to, was)
	}
	// A list with little room has no heads.
	if lines := s.screen(120, 10); !strings.HasPrefix(lines[0], "A ") || s.sessions.HeadEdge(edge, 0) != "" {
		t.Errorf("heads: %q", lines[0])
	}
	s.run(s.sessions.Click(pane.ClickMsg{X: 40}))
	if got := s.sessions.List().Row(); got != s.shown()[s.sessions.List().top] {
		t.Errorf("a click on the first line selects %v", got)
	}
}

// TestSortedRowsCome holds that rows that come while others are being sorted are sorted next,
// that what is shown meanwhile is whole, and that the cursor stays on its row.
func TestSortedRowsCome(t *testing.T) {
	const many = inline
	var all []*panetest.Session
	for i := range 2 {
		w := panetest.New(t)
		w.Header().T0 = w.Header().T0.Add(time.Duration(i) * time.Millisecond)
		for k := range many {
			w.Client(float64(k), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t%d"}}`, k, k%7))
		}
		all = append(all, w)
	}
	s := newStage(t, all...)
	if !s.sessions.List().Following() {
		t.Fatal("live sessions are not followed")
	}
	by, _ := traffic.ParseSorting("what", false)
	on := s.sessions.List().Row()
	slow := s.sessions.Sort(s.Current(), by)
	if l := s.sessions.List(); l.Following() || l.sort.work == nil {
		t.Fatal("so many rows were sorted at once, or the list still follows")
	}
	// Rows come before the command has come back, and one of its answers is late.
	all[0].Client(2*many, `{"jsonrpc":"2.0","id":"x","method":"aaa"}`)
	all[1].Client(2*many, `{"jsonrpc":"2.0","id":"y","method":"bbb"}`)
	s.more()
	whole(t, s, 2*many+2)
	if got := s.sessions.List().Row(); got != on {
		t.Errorf("new rows move the cursor from %v to %v", on, got)
	}
	s.run(slow)
	whole(t, s, 2*many+2)
	method := func(r merge.Row) string {
		snap := s.tabs[r.Session].Ctx.Snap
		return snap.Name(snap.Row(r.Row).Method)
	}
	if rows := s.shown(); method(rows[0]) != "aaa" || method(rows[1]) != "bbb" {
		t.Errorf("%s and %s are first", method(rows[0]), method(rows[1]))
	}
	if l := s.sessions.List(); l.Row() != on || l.rows.row(l.at) != on {
		t.Errorf("the cursor went from %v to %v", on, l.Row())
	}
	s.screen(100, 30)
	// A filter leaves what it selects, sorted.
	s.run(s.sessions.SetFilter(s.Current(), "t:t3 | m:aaa"))
	if rows := s.shown(); method(rows[0]) != "aaa" || len(rows) != 1+2*((many+3)/7) {
		t.Errorf("%d rows under a filter, first %s", len(rows), method(rows[0]))
	}
	// What was asked for before another order is not taken.
	s.run(s.sessions.SetFilter(s.Current(), ""))
	late := s.sessions.Sort(s.Current(), by)
	s.run(s.sessions.Sort(s.Current(), traffic.Sorting{}))
	s.run(late)
	if s.sessions.List().rows.shown != nil {
		t.Error("an order that was given up is shown")
	}
	s.sort("what", true)
	s.do(keys.Follow)
	if l := s.sessions.List(); !l.Following() || l.sort.by.On() || l.at != l.rows.order.Len()-1 {
		t.Error("what follows is sorted")
	}
}

// whole checks that the list shows n rows, each once.
func whole(t *testing.T, s *stage, n int) {
	t.Helper()
	had := map[merge.Row]bool{}
	for _, r := range s.shown() {
		had[r] = true
	}
	if len(had) != len(s.shown()) || s.sessions.List().sort.work == nil && len(had) != n {
		t.Errorf("%d rows, %d different ones, want %d", len(s.shown()), len(had), n)
	}
}

// TestExchangesTogether holds that all sessions have an exchange in one line where the one that
// was shown has, so that all lines have the same columns.
func TestExchangesTogether(t *testing.T) {
	s := newStage(t, three(t)...)
	s.run(s.sessions.Show(1))
	cmd, _ := s.tabs[1].DoIn(keys.Traffic, keys.Exchanges)
	s.run(cmd)
	s.run(s.sessions.Show(3))
	for i, tab := range s.tabs {
		if !tab.Traffic.Pairs() {
			t.Errorf("session %d has requests and answers in lines of their own", i)
		}
	}
	s.do(keys.Exchanges)
	for i, tab := range s.tabs {
		if tab.Traffic.Pairs() {
			t.Errorf("session %d has exchanges in one line", i)
		}
	}
}

// TestTitle holds that the title says what that of one session's list does, of all sessions: how
// far a search, a filter and a sort have come, which hit is selected by the clock, and that the
// list is held still.
func TestTitle(t *testing.T) {
	s := newStage(t, three(t)...)
	says := func(want string) {
		t.Helper()
		if got := s.title(); got != want {
			t.Errorf("the title says %q, want %q", got, want)
		}
	}
	all := fmt.Sprint(len(s.shown()))
	says(all)
	search := func(text string) { s.run(s.sessions.Search(s.Current(), text)) }
	search("tools/call")
	says("hit 1 of 6 · " + all)
	// The sessions begin one after the other: their calls are mixed by the clock.
	for i, session := range []int{2, 1, 0, 2, 1} {
		s.do(keys.SearchNext)
		if got := s.sessions.At(); got != session {
			t.Errorf("hit %d is in session %d, want %d", i+2, got, session)
		}
		says(fmt.Sprintf("hit %d of 6 · %s", i+2, all))
	}
	s.do(keys.Bottom)
	says("6 hits · " + all)
	search("nowhere")
	says("no hits · " + all)
	search("")
	says(all)
	// A narrow title loses its parts, the count last.
	search("tools/call")
	s.screen(24, 10)
	if left, right := s.sessions.List().Title(s.tabs[0].Ctx.Theme, "m:tools/call t:one"); left != "3 sessions on one clock" || !strings.HasPrefix(ansi.Strip(right), all+" of ") {
		t.Errorf("in 24 cells the title is %q, %q", left, ansi.Strip(right))
	}
}

// TestTitleWhile holds that the title says how far a filter and a sort of many rows have come.
func TestTitleWhile(t *testing.T) {
	const many = 10 << 10
	var all []*panetest.Session
	for range 4 {
		w := panetest.New(t)
		for k := range many {
			w.Client(float64(k), fmt.Sprintf(`{"jsonrpc":"2.0","method":"m%d"}`, k%7))
		}
		all = append(all, w)
	}
	s := newStage(t, all...)
	l := s.sessions.List()
	filter := s.sessions.SetFilter(s.Current(), "m:m1")
	if _, right := l.Title(s.tabs[0].Ctx.Theme, "m:m1"); !strings.Contains(ansi.Strip(right), " of 40,960 · 0 %") {
		t.Errorf("while a filter is applied the title says %q", ansi.Strip(right))
	}
	s.run(filter)
	s.run(s.sessions.SetFilter(s.Current(), ""))
	l.slice = 0 // A command does as little as it can.
	by, _ := traffic.ParseSorting("what", true)
	cmd, seen := l.Sort(by), map[string]bool{}
	for n := 0; cmd != nil && l.sort.work != nil && n < 1000; n++ {
		cmd = cmd().(Msg).Take()
		seen[s.title()] = true
	}
	for _, want := range []string{"40,960 · by what ▾ 5 %", "40,960 · by what ▾ 50 %", "40,960 · by what ▾"} {
		if !seen[want] {
			t.Errorf("the title never says %q: %q", want, slices.Sorted(maps.Keys(seen)))
		}
	}
	s.run(s.sessions.TogglePause())
	if title := s.title(); title != "40,960 · ‖ paused" {
		t.Errorf("held still, the title says %q", title)
	}
}
