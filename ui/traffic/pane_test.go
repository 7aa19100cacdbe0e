package traffic

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/filter"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
)

func first(cmd tea.Cmd, _ bool) tea.Cmd { return cmd }

// do carries out an action and what follows from it.
func (s *stage) do(a keys.Action) { s.run(first(s.p.Do(s.c, a))) }

func TestMoves(t *testing.T) {
	for _, tt := range []struct {
		name string
		live bool
		from uint32
		do   []keys.Action
		want uint32
		says string
	}{
		{"a recording begins at the top", false, 0, nil, 1, ""},
		{"a live session at the end", true, 0, nil, 22, ""},
		{"down", false, 0, []keys.Action{keys.Down}, 3, ""},
		{"not past the end", false, 0, []keys.Action{keys.Bottom, keys.Down, keys.PageDown}, 22, ""},
		{"not past the top", false, 0, []keys.Action{keys.Up, keys.HalfUp}, 1, ""},
		{"pair forth", false, 6, []keys.Action{keys.Pair}, 9, ""},
		{"pair back", false, 9, []keys.Action{keys.Pair}, 6, ""},
		{"pair of what the server asks", false, 11, []keys.Action{keys.Pair}, 12, ""},
		{"progress to its request", false, 7, []keys.Action{keys.Pair}, 6, ""},
		{"frames of an exchange", false, 6, []keys.Action{keys.OpNext}, 7, ""},
		{"to its end", false, 6, []keys.Action{keys.OpNext, keys.OpNext}, 9, ""},
		{"and no further", false, 9, []keys.Action{keys.OpNext}, 9, "the last frame of the operation"},
		{"and back", false, 9, []keys.Action{keys.OpPrev, keys.OpPrev}, 6, ""},
		{"and no further back", false, 6, []keys.Action{keys.OpPrev}, 6, "the first frame of the operation"},
		{"finding", false, 1, []keys.Action{keys.FindNext}, 8, ""},
		{"marks", false, 6, []keys.Action{keys.Mark, keys.Down, keys.Down, keys.Mark, keys.MarkPrev}, 6, ""},
		{"marks go round", false, 6, []keys.Action{keys.Mark, keys.Down, keys.Mark, keys.MarkNext}, 6, wrapWords(true)},
		{"a mark is taken off", false, 6, []keys.Action{keys.Mark, keys.Mark, keys.MarkNext}, 6, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t, everything(), tt.live)
			if tt.from > 0 {
				s.goTo(tt.from)
			}
			s.said = nil
			for _, a := range tt.do {
				s.do(a)
			}
			if s.cursor() != tt.want || s.notice() != tt.says {
				t.Errorf("at #%d, says %q; want #%d, %q", s.cursor(), s.notice(), tt.want, tt.says)
			}
		})
	}
}

// goTo goes to a record number.
func (s *stage) goTo(n uint32) {
	for i := range uint32(s.c.Snap.Len()) {
		if s.c.Snap.Row(i).N == n {
			s.run(s.p.Goto(s.c, i))
			return
		}
	}
	s.t.Fatalf("there is no #%d", n)
}

// aboutNothing reports a finding that has no frame.
type aboutNothing struct{}

func (aboutNothing) Check(ev *session.Event, r session.Reporter) {
	r.Report(session.Finding{Rule: "about-nothing", Severity: session.Warning, Conn: 1, Row: session.NoRow, Last: session.NoRow, Message: "nothing"})
}

// Where no finding has a frame, there is none to go to.
func TestFindingsWithoutFrames(t *testing.T) {
	tp := newTape()
	tp.analyzer = session.NewAnalyzer(session.Config{Checkers: []session.Checker{aboutNothing{}}})
	tp.frame("c2s", 0, askedCall)
	s := newStage(t, tp, true)
	if n := len(s.c.Snap.Findings()); n != 1 {
		t.Fatalf("%d findings", n)
	}
	if got := s.p.Disabled(s.c, keys.FindNext); got != "no finding has a frame" {
		t.Errorf("%q", got)
	}
}

func TestDisabled(t *testing.T) {
	s := newStage(t, everything(), false)
	for _, tt := range []struct {
		from uint32
		do   keys.Action
		want string
	}{
		{1, keys.Follow, "the session has ended; G goes to its last row"},
		{1, keys.SearchNext, "nothing is searched for; / searches"},
		{1, keys.FindNext, ""},
		{6, keys.Pair, ""},
		{15, keys.Pair, "the connection ended without a response"},
		{20, keys.Pair, "no response yet"},
		{5, keys.Pair, "only requests and responses have a pair"},
		{5, keys.OpNext, "the row is not part of an operation"},
		{5, keys.MarkNext, "no row is marked; m marks one"},
		{5, keys.MarkOnly, "no row is marked; m marks one"},
		{5, keys.Down, ""},
		{5, keys.CopyValue, ""},
	} {
		s.goTo(tt.from)
		if got := s.p.Disabled(s.c, tt.do); got != tt.want {
			t.Errorf("%s at #%d: %q, want %q", tt.do, tt.from, got, tt.want)
		}
	}
}

func TestFollow(t *testing.T) {
	tp := everything()
	s := newStage(t, tp, true)
	if !strings.HasSuffix(s.title(), "21 · following") {
		t.Errorf("title %q", s.title())
	}
	s.do(keys.Up)
	at := s.cursor()
	for i := range 3 {
		tp.frame("c2s", 4000+float64(i), `{"jsonrpc":"2.0","id":99,"method":"ping"}`)
	}
	s.look()
	if s.cursor() != at || !strings.HasSuffix(s.title(), "24 · 3 new") {
		t.Errorf("at #%d, title %q", s.cursor(), s.title())
	}
	s.p.View(s.c, 80, 40, true) // where all rows are seen, none waits below
	if !strings.HasSuffix(s.title(), " 24") && s.title() != "24" {
		t.Errorf("title %q", s.title())
	}
	s.p.View(s.c, 80, 20, true)
	s.do(keys.Bottom)
	tp.frame("c2s", 5000, `{"jsonrpc":"2.0","id":100,"method":"ping"}`)
	s.look()
	if s.cursor() != 26 || !strings.HasSuffix(s.title(), "following") {
		t.Errorf("at #%d, title %q", s.cursor(), s.title())
	}
	s.c.Paused, s.c.Backlog = true, 1204
	if !strings.HasSuffix(s.title(), "‖ paused · 1,204 new") {
		t.Errorf("title %q", s.title())
	}
}

func TestFilter(t *testing.T) {
	for _, tt := range []struct{ filter, rows string }{
		{"", "1 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22"},
		{"m:tools/call", "6 9 10 13 15"},
		{"d:err", "2"},
		{"is:stderr | m:ping", "2 20"},
		{"listening", ""},
		{"b:echo", "6 9"},
		{"b:世界", "8"},
		{"-m:tools d:s2c b:started", "8"},
		{`b:"long long"`, "22"},
		{"sev>=info rule:stdout-not-json", "8"},
		{"is:pending", "19 20"},
	} {
		t.Run(tt.filter, func(t *testing.T) {
			s := newStage(t, everything(), false)
			s.filter(tt.filter)
			if s.rows() != tt.rows {
				t.Errorf("rows %s, want %s", s.rows(), tt.rows)
			}
			s.filter("")
			if !strings.HasPrefix(s.rows(), "1 3 4") {
				t.Errorf("without the filter: %s", s.rows())
			}
		})
	}
}

// A filter judges rows again that have changed since.
func TestFilterFollowsTheSession(t *testing.T) {
	tp := everything()
	s := newStage(t, tp, true)
	for _, step := range []struct {
		filter, body, rows string
	}{
		{"is:pending", `{"jsonrpc":"2.0","id":4,"result":{}}`, "19"},
		{"is:error", `{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"no"}}`, "10 13 19 24"},
	} {
		s.filter(step.filter)
		tp.raw("s2c", 4000, "\n") // the line that was growing
		tp.frame("s2c", 4001, step.body)
		s.look()
		rows := s.rows()
		s.filter(step.filter)
		if rows != s.rows() {
			t.Errorf("%s: followed to %s, from the start %s", step.filter, rows, s.rows())
		}
	}
}

// A line that grows is found by what comes later in it.
func TestFilterOfGrowingLine(t *testing.T) {
	tp := everything()
	s := newStage(t, tp, true)
	s.filter("b:needle")
	if s.rows() != "" {
		t.Fatalf("rows %s", s.rows())
	}
	tp.raw("s2c", 3100, "hay needle hay")
	s.look()
	if s.rows() != "22" {
		t.Errorf("rows %q, want 22", s.rows())
	}
}

func TestGoto(t *testing.T) {
	for _, tt := range []struct {
		filter string
		to     uint32
		want   uint32
		says   string
	}{
		{"", 9, 9, ""},
		{"", 2, 1, "#2 is stderr, which is not listed here; the filter d:err lists it"},
		{"m:tools/call", 9, 9, ""},
		{"m:tools/call", 12, 13, "#12 is hidden by the filter; ctrl-t shows all rows"},
	} {
		s := newStage(t, everything(), true)
		s.filter(tt.filter)
		s.said = nil
		s.goTo(tt.to)
		if s.cursor() != tt.want || s.notice() != tt.says {
			t.Errorf("%q #%d: at #%d, says %q", tt.filter, tt.to, s.cursor(), s.notice())
		}
	}
}

// The cursor keeps its row through filters, or goes to the nearest one.
func TestFilterKeepsTheCursor(t *testing.T) {
	s := newStage(t, everything(), false)
	s.goTo(9)
	s.filter("m:tools/call")
	if s.cursor() != 9 {
		t.Errorf("at #%d, want #9", s.cursor())
	}
	s.filter("is:proc")
	if s.cursor() != 1 && s.cursor() != 17 {
		t.Errorf("at #%d", s.cursor())
	}
	s.filter("m:no-such-method")
	if s.p.Cursor() != session.NoRow {
		t.Errorf("at %d, want none", s.p.Cursor())
	}
	if got := s.title(); got != "0 of 21" {
		t.Errorf("title %q", got)
	}
}

func TestSearch(t *testing.T) {
	s := newStage(t, everything(), false)
	s.goTo(9)
	s.search("TOOLS/call")
	for _, want := range []struct {
		do    keys.Action
		at    uint32
		title string
	}{
		{keys.SearchNext, 10, "hit 2 of 3 · 21"},
		{keys.SearchNext, 15, "hit 3 of 3 · 21"},
		{keys.SearchNext, 6, "hit 1 of 3 · 21"},
		{keys.SearchPrev, 15, "hit 3 of 3 · 21"},
		{keys.Down, 16, "3 hits · 21"},
		{keys.SearchPrev, 15, "hit 3 of 3 · 21"},
	} {
		s.do(want.do)
		if s.cursor() != want.at || s.title() != want.title {
			t.Errorf("%s: at #%d, %q, want #%d, %q", want.do, s.cursor(), s.title(), want.at, want.title)
		}
	}
	s.filter("id:1")
	if got := s.title(); got != "1 hit · 4 of 21" {
		t.Errorf("filtered: %q", got)
	}
	s.search(`no "such\" text`)
	s.do(keys.SearchNext)
	if want := `no frame contains “no "such\" text”`; s.notice() != want {
		t.Errorf("says %q, want %q", s.notice(), want)
	}
	s.search("")
	if got := s.title(); got != "4 of 21" {
		t.Errorf("title %q", got)
	}
}

// The left title says what the list is restricted to, as far as there is room.
func TestTitleNamesTheFilter(t *testing.T) {
	s := newStage(t, everything(), false)
	s.filter(`m:tools/call -id:"req-2"`)
	for w, want := range map[int]string{60: `traffic · m:tools/call -id:"req-2"`, 40: "traffic · m:tools/call -id…", 24: "traffic"} {
		s.screen(w, 5, false)
		if left, _ := s.p.Title(s.c); left != want {
			t.Errorf("%d cells: %q, want %q", w, left, want)
		}
	}
}

// A search begins with the cursor's own row, and finds rows that come later.
func TestSearchGrows(t *testing.T) {
	tp := everything()
	s := newStage(t, tp, true)
	s.goTo(6)
	s.search("tools/call")
	s.do(keys.SearchNext)
	if s.cursor() != 6 {
		t.Errorf("at #%d, want #6", s.cursor())
	}
	tp.raw("s2c", 4000, "tools/call")
	s.look()
	tp.frame("c2s", 4001, `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"x"}}`)
	tp.raw("s2c", 4002, "\n")
	s.look()
	if got := s.title(); got != "hit 1 of 5 · 22 · 1 new" {
		t.Errorf("title %q", got)
	}
}

func TestMarkOnly(t *testing.T) {
	s := newStage(t, everything(), false)
	s.goTo(6)
	s.do(keys.Mark)
	s.goTo(13)
	s.do(keys.Mark)
	s.do(keys.MarkOnly)
	if left, right := s.p.Title(s.c); s.rows() != "6 13" || left != "traffic · marked" || !strings.Contains(right, "2 of 21") {
		t.Errorf("rows %s, title %q %q", s.rows(), left, right)
	}
	s.do(keys.Mark)
	if s.rows() != "6" || s.cursor() != 6 {
		t.Errorf("rows %s at #%d", s.rows(), s.cursor())
	}
	s.do(keys.Mark)
	if s.p.only || s.cursor() != 6 {
		t.Errorf("still marked only, at #%d", s.cursor())
	}
}

func TestMouse(t *testing.T) {
	s := newStage(t, everything(), true)
	s.screen(60, 6, false)
	s.tell(pane.WheelMsg{Lines: -3})
	s.screen(60, 6, false)
	if s.p.follow || s.cursor() == 22 {
		t.Errorf("the wheel did not end following, at #%d", s.cursor())
	}
	s.tell(pane.WheelMsg{Lines: -300})
	s.screen(60, 6, false)
	s.tell(pane.ClickMsg{X: 3, Y: 2})
	if s.cursor() != 4 {
		t.Errorf("clicked on #%d, want #4", s.cursor())
	}
	s.tell(pane.ClickMsg{X: 3, Y: 99})
	s.said = nil
	s.tell(pane.ClickMsg{X: 3, Y: 3, Double: true})
	if len(s.said) != 1 || s.said[0] != (pane.FocusMsg{Pane: keys.Detail}) || s.cursor() != 5 {
		t.Errorf("said %v at #%d", s.said, s.cursor())
	}
}

func TestCopyLine(t *testing.T) {
	for n, want := range map[uint32]string{
		6:  `6  0.100  →  tools/call  echo  text="日本語"  1  20.0 ms  132 B`,
		8:  `8  0.115  ←?  Server ␛[31mstarted␛[0m — 世界 👩\u200d👩\u200d👧!  54 B  ✖ error`,
		13: `13  0.300  ←✖  tools/call  ask_model  -32602 Invalid params: text is too long  "req-2"  100 ms  99 B`,
		17: `17  0.501  ●  server exited with code 3`,
	} {
		s := newStage(t, everything(), false)
		s.goTo(n)
		s.said = nil
		s.do(keys.CopyValue)
		if len(s.said) != 1 {
			t.Fatalf("said %v", s.said)
		}
		if got := s.said[0].(pane.CopyMsg).Text; got != want {
			t.Errorf("#%d:\n got %s\nwant %s", n, got, want)
		}
	}
}

// Answers that are not the pane's own, or out of date, are left alone.
func TestStaleAnswers(t *testing.T) {
	s := newStage(t, everything(), false)
	f, _ := filter.Parse("b:echo")
	old := s.p.Update(s.c, pane.FilteredMsg{Filter: f})
	s.filter("m:ping")
	other := New()
	for _, msg := range all(old) {
		s.tell(msg)
		if cmd := other.Update(s.c, msg); cmd != nil {
			t.Errorf("another pane took %T", msg)
		}
	}
	if s.rows() != "20" {
		t.Errorf("rows %s", s.rows())
	}
}

// all runs a command and returns its messages.
func all(cmd tea.Cmd) (out []tea.Msg) {
	if cmd == nil {
		return nil
	}
	msg := cmd()
	if batch, ok := msg.(tea.BatchMsg); ok {
		for _, c := range batch {
			out = append(out, all(c)...)
		}
		return out
	}
	return append(out, msg)
}
