package screen

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/merge"
	"wiretea/session"
	"wiretea/ui/host"
	"wiretea/ui/keys"
	"wiretea/ui/merged"
	"wiretea/ui/pane"
)

// While all sessions are shown, the list of traffic is merged.List, and everything else is
// about the session of its selected row: one of them follows the other.

// concerned are the tabs that something done in a tab concerns: all of them while all are
// shown.
func (s *Screen) concerned(t *tab) []*tab {
	if s.all {
		return s.tabs
	}
	return []*tab{t}
}

// turnTab goes to the next session, in a direction; all sessions come after the last.
func (s *Screen) turnTab(step int) tea.Cmd {
	at, n := s.at, len(s.tabs)+1
	if s.all {
		at = n - 1
	}
	return s.toTab((at + step + n) % n)
}

// toTab shows a session, or all of them, whose number is the one after the last.
func (s *Screen) toTab(i int) tea.Cmd {
	if i >= len(s.tabs) {
		cmd := s.showAll(true)
		return tea.Batch(s.Say(session.Info, fmt.Sprintf("all %d sessions, in the order of the clock", len(s.tabs))), cmd)
	}
	cmd := s.showAll(false)
	s.at = i
	return tea.Batch(cmd, s.Say(session.Info, fmt.Sprintf("session %d of %d: %s", s.at+1, len(s.tabs), s.tab().Source.Title())))
}

// showAll shows all sessions, with the filter of the one that was shown, or one of them.
func (s *Screen) showAll(on bool) tea.Cmd {
	if s.all == on {
		return nil
	}
	var cmds []tea.Cmd
	if on && s.merged == nil {
		s.merged = merged.New(s.hosted())
		s.seen, s.went = s.merged.Row(), s.selected()
	}
	now := s.tab()
	if on {
		host.Together(s.hosted())
	} else {
		host.Apart(s.hosted())
	}
	if s.all = on; on && s.sized && !(s.merged.Following() && now.Traffic.Following()) {
		s.merged.Select(s.selected())
	}
	for _, t := range s.tabs {
		if on && t.Ctx.Past {
			cmds = append(cmds, t.timeline.Leave())
		}
		if on && (t.Filter != now.Filter || t.FilterOn != now.FilterOn) {
			t.Filter, t.FilterOn = now.Filter, now.FilterOn
			cmds = append(cmds, t.ApplyFilter())
		}
	}
	if !on {
		cmds = append(cmds, s.setBase(time.Time{}))
		return tea.Batch(cmds...)
	}
	return tea.Batch(append(cmds, s.followMerged())...)
}

// hosted are the tabs as their hosts know them.
func (s *Screen) hosted() []*host.Tab {
	tabs := make([]*host.Tab, len(s.tabs))
	for i, t := range s.tabs {
		tabs[i] = t.Tab
	}
	return tabs
}

// in is the tab of a session among all, counted from 1, on which the cursor then is; 0 = the
// tab that is given.
func (s *Screen) in(t *tab, session int) *tab {
	if session == 0 || !s.all || session > len(s.tabs) {
		return t
	}
	s.at = session - 1
	return s.tab()
}

// setBase has all sessions shown by the clock that began at a time; zero = each by its own.
func (s *Screen) setBase(base time.Time) tea.Cmd {
	var cmds []tea.Cmd
	for _, t := range s.tabs {
		if !t.Ctx.Base.Equal(base) {
			t.Ctx.Base = base
			cmds = append(cmds, t.Tell(pane.RestyledMsg{}))
		}
	}
	return tea.Batch(cmds...)
}

// followMerged has the list and the panes be on the same row, after either has moved, and
// keeps the list up to date.
func (s *Screen) followMerged() tea.Cmd {
	var cmd tea.Cmd
	l := s.merged
	switch r := l.Row(); {
	case r != s.seen && r.Row != session.NoRow:
		s.at = r.Session
		cmd = tea.Batch(s.tab().Goto(r.Row), s.tab().TellOne(keys.Timeline, pane.CursorMovedMsg{}))
	case s.selected() != s.went && !(l.Following() && s.tab().Traffic.Following()):
		l.Select(s.selected())
	}
	s.seen, s.went = l.Row(), s.selected()
	refresh := l.Refresh()
	return tea.Batch(cmd, refresh, s.setBase(l.Base()), l.Hunting(), l.Load())
}

// selected is the row on which the session's pane is.
func (s *Screen) selected() merge.Row {
	return merge.Row{Session: s.at, Row: s.tab().Traffic.Cursor()}
}

// doMerged carries out an action on all sessions, and reports whether it is one.
func (s *Screen) doMerged(a keys.Action) (tea.Cmd, bool) {
	if !s.all || s.layout.Page != keys.Global {
		return nil, false
	}
	switch a {
	case keys.Play, keys.StepBack, keys.StepOn, keys.OpBack, keys.OpOn:
		return s.Say(session.Info, "the past is shown of one session; "+s.keys.WordOf(keys.NextFile, keys.Traffic)+" goes to one"), true
	case keys.Exchanges, keys.FoldTrips, keys.MarkOnly:
		var cmds []tea.Cmd
		for _, t := range s.tabs {
			cmd, _ := t.DoIn(keys.Traffic, a)
			cmds = append(cmds, cmd)
		}
		return tea.Batch(cmds...), true
	case keys.SearchNext, keys.SearchPrev:
		if s.layout.Focus != keys.Traffic || s.tab().Ctx.Search.Text == "" {
			return nil, false
		}
	case keys.FindNext, keys.FindPrev, keys.MarkNext, keys.MarkPrev:
	default:
		if s.layout.Focus != keys.Traffic {
			return nil, false
		}
	}
	return s.merged.Do(a)
}

// clickMerged selects a line of the list; twice opens its row.
func (s *Screen) clickMerged(y int, double bool) tea.Cmd {
	if s.merged.Click(y) && double {
		return s.show(keys.Detail)
	}
	return nil
}

// pause holds the display still, or lets it go on.
func (s *Screen) pause(on bool) tea.Cmd {
	var cmds []tea.Cmd
	for _, t := range s.concerned(s.tab()) {
		if t.Ctx.Live || !on {
			t.Ctx.Paused = on
			t.Look()
			cmds = append(cmds, t.Tell(pane.MovedMsg{}))
		}
	}
	return tea.Batch(cmds...)
}

// setFilter puts a filter in force; empty = none.
func (s *Screen) setFilter(t *tab, text string) tea.Cmd {
	return s.filtered(t, text, true)
}

func (s *Screen) toggleFilter(t *tab) tea.Cmd { return s.filtered(t, t.Filter, !t.FilterOn) }

func (s *Screen) filtered(t *tab, text string, on bool) tea.Cmd {
	var cmds []tea.Cmd
	for _, t := range s.concerned(t) {
		t.Filter, t.FilterOn = text, on
		cmds = append(cmds, t.ApplyFilter())
	}
	return tea.Batch(cmds...)
}

// setSearch changes what is searched for, and goes to the first hit.
func (s *Screen) setSearch(t *tab, text string) tea.Cmd {
	var cmds []tea.Cmd
	for _, t := range s.concerned(t) {
		t.Ctx.Search = pane.Search{Text: text}
		cmds = append(cmds, t.Tell(pane.RestyledMsg{}))
	}
	switch {
	case text == "":
	case s.all:
		cmds = append(cmds, s.merged.Hunt(1))
	default:
		next, _ := t.Do(keys.Traffic, keys.SearchNext)
		cmds = append(cmds, next)
	}
	return tea.Batch(cmds...)
}
