package merged

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/merge"
	"wiretea/session"
	"wiretea/ui/host"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/traffic"
)

// Sessions are the sessions of a screen, of which one is shown, or all.
type Sessions struct {
	screen host.Screen
	tabs   []*host.Tab
	at     int  // at is the session that is shown; while all are, that of the selected row.
	all    bool // all: the rows of all sessions are shown in one list.

	list *List     // list is that list; nil before it was shown first.
	seen merge.Row // seen is the row on which the list was when both were on the same one,
	went merge.Row // and went that on which the session's pane was.
}

// NewSessions returns the sessions of a screen, at least one, of which the first is shown.
func NewSessions(s host.Screen, tabs []*host.Tab) *Sessions {
	return &Sessions{screen: s, tabs: tabs}
}

// At returns the index of the session that is shown; while all are, of that of the selected
// row.
func (s *Sessions) At() int { return s.at }

// All reports whether all sessions are shown in one list.
func (s *Sessions) All() bool { return s.all }

// Shown reports whether a session is one of those that are shown.
func (s *Sessions) Shown(i int) bool { return s.all || i == s.at }

// List returns the list of all sessions; nil before they were shown first.
func (s *Sessions) List() *List { return s.list }

func (s *Sessions) tab() *host.Tab { return s.tabs[s.at] }

// concerned are the tabs that something done in a tab concerns: all of them while all are
// shown.
func (s *Sessions) concerned(t *host.Tab) []*host.Tab {
	if s.all {
		return s.tabs
	}
	return []*host.Tab{t}
}

// Turn goes to the next session, in a direction; all sessions come after the last.
func (s *Sessions) Turn(step int) tea.Cmd {
	at, n := s.at, len(s.tabs)+1
	if s.all {
		at = n - 1
	}
	return s.Show((at + step + n) % n)
}

// Show shows a session, or all of them, whose number is the one after the last.
func (s *Sessions) Show(i int) tea.Cmd {
	if i >= len(s.tabs) {
		cmd := s.showAll(true)
		return tea.Batch(s.screen.Say(session.Info, fmt.Sprintf("all %d sessions, in the order of the clock", len(s.tabs))), cmd)
	}
	cmd := s.showAll(false)
	s.at = i
	return tea.Batch(cmd, s.screen.Say(session.Info, fmt.Sprintf("session %d of %d: %s", s.at+1, len(s.tabs), s.tab().Source.Title())))
}

// Begin shows all sessions before anything was shown: no row is selected in them yet.
func (s *Sessions) Begin() tea.Cmd { return s.together() }

// showAll shows all sessions, with the filter and the row of the one that was shown, or one
// of them.
func (s *Sessions) showAll(on bool) tea.Cmd {
	switch {
	case s.all == on:
		return nil
	case !on:
		host.Apart(s.tabs)
		s.all = false
		return s.setBase(time.Time{})
	}
	if s.list == nil {
		s.list = New(s.tabs)
		s.seen, s.went = s.list.Row(), s.selected()
	}
	if !s.list.Following() || !s.tab().Traffic.Following() {
		s.list.Select(s.selected())
	}
	return s.together()
}

// together shows all sessions, with the filter of the one that was shown.
func (s *Sessions) together() tea.Cmd {
	if s.list == nil {
		s.list = New(s.tabs)
		s.seen, s.went = s.list.Row(), s.selected()
	}
	host.Together(s.tabs)
	s.all = true
	var cmds []tea.Cmd
	now := s.tab()
	for _, t := range s.tabs {
		if t.Ctx.Past {
			cmds = append(cmds, t.LeavePast())
		}
		if t.Traffic.Pairs() != now.Traffic.Pairs() { // The columns are the same in all lines.
			cmd, _ := t.DoIn(keys.Traffic, keys.Exchanges)
			cmds = append(cmds, cmd)
		}
		if t.Filter != now.Filter || t.FilterOn != now.FilterOn {
			t.Filter, t.FilterOn = now.Filter, now.FilterOn
			cmds = append(cmds, t.ApplyFilter())
		}
	}
	return tea.Batch(append(cmds, s.Follow())...)
}

// Go puts the cursor into a session among all, counted from 1, and reports whether all are
// shown and it is one of them; 0 = none.
func (s *Sessions) Go(session int) bool {
	if session == 0 || !s.all || session > len(s.tabs) {
		return false
	}
	s.at = session - 1
	return true
}

// setBase has all sessions shown by the clock that began at a time; zero = each by its own.
func (s *Sessions) setBase(base time.Time) tea.Cmd {
	var cmds []tea.Cmd
	for _, t := range s.tabs {
		if !t.Ctx.Base.Equal(base) {
			t.Ctx.Base = base
			cmds = append(cmds, t.Tell(pane.RestyledMsg{}))
		}
	}
	return tea.Batch(cmds...)
}

// Follow has the list and the panes be on the same row, after either has moved, and keeps
// the list up to date. While one session is shown it does nothing.
func (s *Sessions) Follow() tea.Cmd {
	if !s.all {
		return nil
	}
	var cmd tea.Cmd
	l := s.list
	switch r := l.Row(); {
	case r != s.seen && r.Row != session.NoRow:
		s.at = r.Session
		cmd = tea.Batch(s.tab().Goto(s.tab().Traffic.Pick(&s.tab().Ctx, r.Row)), s.tab().TellOne(keys.Timeline, pane.CursorMovedMsg{}))
	case !l.moved && s.went.Row == session.NoRow: // Its session was read: nobody has moved the pane.
	case s.selected() != s.went && !(l.Following() && s.tab().Traffic.Following()):
		l.Select(s.selected())
	}
	s.seen, s.went = l.Row(), s.selected()
	refresh := l.Refresh()
	return tea.Batch(cmd, refresh, s.setBase(l.Base()), l.Hunting(), l.Load())
}

// selected is the row on which the session's pane is.
func (s *Sessions) selected() merge.Row {
	return merge.Row{Session: s.at, Row: s.tab().Traffic.Cursor()}
}

// Do carries out an action on all sessions, where a pane has the focus and no page covers
// the panes, and reports whether it is one. While one session is shown there is none.
func (s *Sessions) Do(focus keys.Scope, a keys.Action) (tea.Cmd, bool) {
	if !s.all {
		return nil, false
	}
	switch a {
	case keys.Play, keys.StepBack, keys.StepOn, keys.OpBack, keys.OpOn:
		return s.onePast(), true
	case keys.Exchanges, keys.FoldTrips, keys.MarkOnly:
		var cmds []tea.Cmd
		for _, t := range s.tabs {
			cmd, _ := t.DoIn(keys.Traffic, a)
			cmds = append(cmds, cmd)
		}
		return tea.Batch(cmds...), true
	case keys.SearchNext, keys.SearchPrev:
		if focus != keys.Traffic || s.tab().Ctx.Search.Text == "" {
			return nil, false
		}
	case keys.FindNext, keys.FindPrev, keys.MarkNext, keys.MarkPrev:
	default:
		if focus != keys.Traffic {
			return nil, false
		}
	}
	return s.list.Do(a)
}

// Past shows a session as it was at a time, as show does. While all sessions are shown it says
// that this is possible for one only.
func (s *Sessions) Past(show func() tea.Cmd) tea.Cmd {
	if s.all {
		return s.onePast()
	}
	return show()
}

func (s *Sessions) onePast() tea.Cmd {
	return s.screen.Say(session.Info, "the past is shown of one session; "+s.tab().Ctx.Keys.WordOf(keys.NextFile, keys.Traffic)+" goes to one")
}

// Click selects a row of the list; twice opens it. On the sign of what is folded it unfolds
// that, and on the head of a column it sorts.
func (s *Sessions) Click(m pane.ClickMsg) tea.Cmd {
	l := s.list
	if m.Y < l.table.Headed() {
		if by, ok := l.table.Sorting(l.sort.by, m.X-l.left); ok {
			return s.sort(by)
		}
		return nil
	}
	if !l.Click(m.Y) {
		return nil
	}
	cmd, t := s.Follow(), s.tab()
	if fold, folds := t.Traffic.FoldAt(&t.Ctx, &l.table, m.X-l.left); folds {
		return tea.Batch(cmd, t.OfTraffic(fold), t.Sync())
	}
	if m.Double {
		return tea.Batch(cmd, pane.Tell(pane.FocusMsg{Pane: keys.Detail}))
	}
	return cmd
}

// Wheel turns the list.
func (s *Sessions) Wheel(lines int) tea.Cmd {
	s.list.Wheel(lines)
	return s.stay()
}

// Sort shows the rows of a tab, or those of all sessions where all are shown, in an order.
func (s *Sessions) Sort(t *host.Tab, by traffic.Sorting) tea.Cmd {
	if s.all {
		return s.sort(by)
	}
	return tea.Batch(t.OfTraffic(t.Traffic.Sort(&t.Ctx, by)), t.Sync())
}

// sort shows the rows of all sessions in an order.
func (s *Sessions) sort(by traffic.Sorting) tea.Cmd { return tea.Batch(s.list.Sort(by), s.stay()) }

// stay has the pane of the selected row's session not follow what is new either where the
// list does not.
func (s *Sessions) stay() tea.Cmd {
	cmd := s.Follow()
	if t := s.tab(); !s.list.Following() && t.Traffic.Following() && s.list.Row().Row != session.NoRow {
		cmd = tea.Batch(cmd, t.Goto(s.list.Row().Row))
		s.went = s.selected()
	}
	return cmd
}

// table is the list that is shown as it was drawn last, and the cell at which its columns
// begin.
func (s *Sessions) table() (*traffic.Table, int) {
	if s.all {
		return &s.list.table, s.list.left
	}
	return s.tab().Traffic.Table(), 0
}

// HeadEdge returns the column of the list that is made wider or narrower by a cell of its
// heads; empty = none is.
func (s *Sessions) HeadEdge(x, y int) string {
	t, left := s.table()
	return t.Edge(x-left, y)
}

// WidthTo returns the width with which the edge of a column is at a cell of the list.
func (s *Sessions) WidthTo(column string, x int) int {
	t, left := s.table()
	return t.WidthTo(column, x-left)
}

// ColumnWidth returns the width that a column of the list was drawn with last, in cells; 0 for
// one that was not drawn.
func (s *Sessions) ColumnWidth(column string) int {
	t, _ := s.table()
	return t.Width(column)
}

// TogglePause holds the display of what is shown still, or lets it go on.
func (s *Sessions) TogglePause() tea.Cmd {
	var cmds []tea.Cmd
	on := !s.tab().Ctx.Paused
	for _, t := range s.concerned(s.tab()) {
		if t.Ctx.Live || !on {
			t.Ctx.Paused = on
			t.Look()
			cmds = append(cmds, t.Tell(pane.MovedMsg{}))
		}
	}
	return tea.Batch(cmds...)
}

// SetFilter puts a filter in force in a tab, or in all where all are shown; empty = none.
func (s *Sessions) SetFilter(t *host.Tab, text string) tea.Cmd { return s.filter(t, text, true) }

// ToggleFilter turns the filter of what is shown off, or on again.
func (s *Sessions) ToggleFilter() tea.Cmd {
	return s.filter(s.tab(), s.tab().Filter, !s.tab().FilterOn)
}

func (s *Sessions) filter(t *host.Tab, text string, on bool) tea.Cmd {
	var cmds []tea.Cmd
	for _, t := range s.concerned(t) {
		t.Filter, t.FilterOn = text, on
		cmds = append(cmds, t.ApplyFilter())
	}
	return tea.Batch(cmds...)
}

// Search changes what is searched for in a tab, or in all where all are shown, and goes to
// the first hit; empty = nothing.
func (s *Sessions) Search(t *host.Tab, text string) tea.Cmd {
	var cmds []tea.Cmd
	for _, t := range s.concerned(t) {
		t.Ctx.Search = pane.Search{Text: text}
		cmds = append(cmds, t.Tell(pane.RestyledMsg{}))
	}
	switch {
	case text == "":
	case s.all:
		cmds = append(cmds, s.list.Hunt(1))
	default:
		next, _ := t.Do(keys.Traffic, keys.SearchNext)
		cmds = append(cmds, next)
	}
	return tea.Batch(cmds...)
}

// Troubled returns the session that is shown; of all of them the one with the worst root
// cause.
func (s *Sessions) Troubled() *host.Tab {
	worst := s.tab()
	for _, t := range s.concerned(worst) {
		if t.Severity() > worst.Severity() {
			worst = t
		}
	}
	return worst
}

// Letter is what precedes words about a session while all are shown; empty while one is.
func (s *Sessions) Letter(t *host.Tab) string {
	if !s.all {
		return ""
	}
	return merge.Letter(slices.Index(s.tabs, t))
}

// Counts are the numbers of findings by severity of what is shown, worst first, without those
// that were silenced.
func (s *Sessions) Counts() string {
	if !s.all {
		return s.tab().Counts()
	}
	var sum [4]int64
	for _, t := range s.tabs {
		found, _ := t.Findings.Counts(&t.Ctx)
		for sev, n := range found {
			sum[sev] += n
		}
	}
	th := s.tab().Ctx.Theme
	if words := host.CountWords(th, sum); words != "" {
		return words + th.Dim.Paint(" in all") // The rest of the header is about one session.
	}
	return s.Troubled().VerdictSign()
}
