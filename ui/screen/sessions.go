package screen

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/recorder/capture"
	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/intercept"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
)

// Each session is a tab. All of them as one list are the tab behind the last: the merged log of
// theirs, which is read once it is shown first.

// tabLineFrom is the height of the screen from which on the names of several sessions have
// a line of their own.
const tabLineFrom = 16

// merge makes the tab of all sessions.
func (s *Screen) merge() {
	var logs []recorder.Log
	var names []string
	for _, t := range s.tabs {
		logs, names = append(logs, t.Source.Log()), append(names, t.Name())
	}
	s.merged = capture.OpenMerged(logs, names)
	t := s.newTab(s.merged, intercept.Of(&s.prefs.Settings))
	t.Filter, t.FilterOn = s.tab().Filter, s.tab().FilterOn
	s.tabs = append(s.tabs, t)
}

// Close ends the reading of what the screen has opened itself. The sources may be closed then.
func (s *Screen) Close() {
	if s.merged != nil {
		s.merged.Close()
	}
}

// turn goes to the next session, in a direction; all sessions come after the last.
func (s *Screen) turn(step int) tea.Cmd {
	n := len(s.opt.Sources) + 1
	return s.showSession((s.at + step + n) % n)
}

// showSession shows a session, or all of them, whose number is the one after the last.
func (s *Screen) showSession(i int) tea.Cmd {
	n := len(s.opt.Sources)
	var cmd tea.Cmd
	if i == n && len(s.tabs) == n {
		s.merge()
		cmd = s.tabs[n].begin()
	}
	s.at = i
	words := fmt.Sprintf("all %d sessions, in the order of the clock", n)
	if i < n {
		words = fmt.Sprintf("session %d of %d: %s", i+1, n, s.tab().Source.Title())
	}
	return tea.Batch(cmd, s.Say(session.Info, words))
}

// names are the names of the sessions as their line has them in w cells.
func (s *Screen) names(w int) []string {
	n := len(s.opt.Sources)
	names := make([]string, n, n+1)
	most := max(6, w/(n+1)-5)
	for i, t := range s.tabs[:n] {
		name := text.Visible([]byte(t.Name()), 0)
		names[i] = fmt.Sprintf(" %s %s ", session.Letter(i+1), strings.TrimRight(cells.Fit(name, min(most, cells.Width(name))), " "))
	}
	return append(names, " all ")
}

// tabLine is the line of the sessions, in which the shown one, or all, is in brackets; nil where
// the screen has none.
func (s *Screen) tabLine() []string {
	if len(s.opt.Sources) < 2 || s.h < tabLineFrom {
		return nil
	}
	th := s.prefs.Theme
	var b strings.Builder
	b.WriteByte(' ')
	for i, name := range s.names(s.w) {
		look := th.Dim
		if i == s.at {
			name, look = "["+strings.TrimSpace(name)+"]", th.Accent
		}
		if letter, rest, ok := strings.Cut(name[1:], " "); ok && s.at == len(s.opt.Sources) && i < s.at {
			b.WriteString(look.Paint(name[:1]) + th.Session(i+1).Paint(letter) + look.Paint(" "+rest))
		} else {
			b.WriteString(look.Paint(name))
		}
		b.WriteByte(' ')
	}
	line := b.String()
	if next := "   " + th.Accent.Paint(s.keys.WordOf(keys.NextFile, keys.Global)) + th.Dim.Paint(" next"); cells.Width(line+next) <= s.w {
		line += next
	}
	return []string{cells.Fit(line, s.w)}
}

// sessionAt is the session whose name is in a cell of the line, the number after the last for all
// of them, -1 for none.
func (s *Screen) sessionAt(x int) int {
	x = max(0, x-1)
	for i, name := range s.names(s.w) {
		if x -= cells.Width(name) + 1; x < 0 {
			return i
		}
	}
	return -1
}

// setFilter puts a filter in force, or one that is not; empty = none.
func (t *tab) setFilter(text string, on bool) tea.Cmd {
	t.Filter, t.FilterOn = text, on
	return t.ApplyFilter()
}

// search changes what is searched for, and goes to the first hit; empty = nothing.
func (t *tab) search(text string) tea.Cmd {
	t.Ctx.Search = pane.Search{Text: text}
	cmd := t.Tell(pane.RestyledMsg{})
	if text == "" {
		return cmd
	}
	next, _ := t.Do(keys.Traffic, keys.SearchNext)
	return tea.Batch(cmd, next)
}

// togglePause holds the display still, or lets it go on.
func (t *tab) togglePause() tea.Cmd {
	t.Ctx.Paused = !t.Ctx.Paused && t.Ctx.Live
	t.Look()
	return t.Tell(pane.MovedMsg{})
}
