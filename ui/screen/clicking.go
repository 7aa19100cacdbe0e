package screen

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"wiretea/ui/cells"
	"wiretea/ui/keys"
)

// clickLine is a click on a line above or below the panes: on the counts of findings in
// the header it leads to them, on a hint of the footer it does what the key does, on a
// notice it ends that, and on the tour's line it goes to the next scene. It reports false
// for any other cell.
func (s *Screen) clickLine(x, y int) (tea.Cmd, bool) {
	switch {
	case y == 0:
		from, to := s.countsAt()
		if x < from || x >= to {
			return nil, false
		}
		return s.show(keys.Findings), true
	case y == s.h-1:
		return s.clickFooter(x), true
	case s.tour.Scene().Of > 0 && s.tab().Ended == "":
		top := 1 + len(s.sessions.Line(s.w, s.h))
		if y < top || y >= top+len(s.said(s.tour.Line(), "", s.prefs.Theme.Strong, sayLines)) {
			return nil, false
		}
		return s.tour.Step(1), true
	}
	return nil, false
}

// countsAt are the columns of the header from and to which it has the counts of findings,
// both 0 where it has none.
func (s *Screen) countsAt() (from, to int) {
	line, counts := ansi.Strip(s.header()), ansi.Strip(s.sessions.Counts())
	at := strings.LastIndex(line, counts)
	if at < 0 || counts == "" {
		return 0, 0
	}
	from = cells.Width(line[:at])
	return from, from + cells.Width(counts)
}

// clickFooter carries out the hint in a column of the footer. A notice that covers the
// hints is ended.
func (s *Screen) clickFooter(x int) tea.Cmd {
	switch {
	case s.leaving.Line() != "" || s.chord != "":
		return nil
	case s.notice.text != "":
		s.notice.text = ""
		return nil
	}
	var clicked keys.Action
	from := 0
	s.hints(func(a keys.Action, end int) {
		if x >= from && x < end {
			clicked = a
		}
		from = end
	})
	if clicked == "" {
		return nil
	}
	return s.do(clicked)
}
