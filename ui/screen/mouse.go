package screen

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"wiretea/session/cells"
	"wiretea/ui/keys"
	"wiretea/ui/layout"
	"wiretea/ui/overlay"
	"wiretea/ui/pane"
)

// mouseMsg routes the mouse to the pane under it, or drags a border.
func (s *Screen) mouseMsg(msg tea.MouseMsg) tea.Cmd {
	if s.prompt.IsOpen() || s.leaving.Running() {
		return nil
	}
	if s.overlay != nil {
		return s.overlayMouse(msg)
	}
	if s.tab().composer.IsOpen() {
		return s.composerMouse(msg)
	}
	m, body := msg.Mouse(), s.bodyRect()
	s.tour.Own = true
	if _, click := msg.(tea.MouseClickMsg); click && m.Y == 1 && s.tabLine() != nil {
		if i := s.sessionAt(m.X); i >= 0 {
			return s.showSession(i)
		}
	}
	if _, click := msg.(tea.MouseClickMsg); click && m.Button == tea.MouseLeft {
		if cmd, mine := s.clickLine(m.X, m.Y); mine {
			return cmd
		}
	}
	switch msg.(type) {
	case tea.MouseReleaseMsg: // Motions before it may have been left out.
		cmd := s.dragTo(body, m)
		s.layout.Drop()
		s.widens = ""
		return cmd
	case tea.MouseMotionMsg:
		return s.dragTo(body, m)
	}
	for _, p := range s.layout.Place(body) {
		if !p.Contains(m.X, m.Y) {
			continue
		}
		in := p.Inside()
		switch msg.(type) {
		case tea.MouseWheelMsg:
			wheel, _ := wheelOf(msg)
			return s.tab().TellOne(p.Scope, wheel)
		case tea.MouseClickMsg:
			if s.layout.Grab(body, m.X, m.Y) || m.Button != tea.MouseLeft {
				return nil
			}
			s.layout.Focus = p.Scope
			if p.Scope == keys.Traffic {
				if s.widens = s.tab().Traffic.Edge(m.X-in.X, m.Y-in.Y); s.widens != "" {
					return nil
				}
			}
			return s.tab().TellOne(p.Scope, pane.ClickMsg{X: m.X - in.X, Y: m.Y - in.Y, Double: s.clicks.Double(m.X, m.Y, time.Now())})
		}
	}
	return nil
}

// dragTo moves what is dragged, a border or the edge of a column, to where the mouse is.
func (s *Screen) dragTo(body layout.Rect, m tea.Mouse) tea.Cmd {
	if s.widens == "" {
		s.layout.Drag(body, m.X, m.Y)
		return nil
	}
	for _, p := range s.layout.Place(body) {
		if p.Scope == keys.Traffic {
			return s.prefs.Widen(s.widens, s.tab().Traffic.WidthTo(s.widens, m.X-p.Inside().X))
		}
	}
	return nil
}

// composerMouse gives the mouse to the composer where it is over it, and the wheel to the
// panes beside it.
func (s *Screen) composerMouse(msg tea.MouseMsg) tea.Cmd {
	m, body := msg.Mouse(), s.bodyRect()
	own, _ := layout.BesideComposer(body)
	wheel, turned := wheelOf(msg)
	if !own.Contains(m.X, m.Y) {
		for _, p := range s.layout.Place(body) {
			if turned && p.Contains(m.X, m.Y) {
				return s.tab().TellOne(p.Scope, wheel)
			}
		}
		return nil
	}
	if turned {
		return s.tab().composer.Mouse(wheel)
	}
	if _, click := msg.(tea.MouseClickMsg); click && m.Button == tea.MouseLeft {
		return s.tab().composer.Mouse(pane.ClickMsg{X: m.X - own.X, Y: m.Y - own.Y})
	}
	return nil
}

// wheelOf is a turn of the wheel as panes take it.
func wheelOf(msg tea.MouseMsg) (pane.WheelMsg, bool) {
	_, turned := msg.(tea.MouseWheelMsg)
	lines := 3
	if msg.Mouse().Button == tea.MouseWheelUp {
		lines = -3
	}
	return pane.WheelMsg{Lines: lines}, turned
}

// overlayMouse gives the mouse to an overlay that takes it, where it is over it.
func (s *Screen) overlayMouse(msg tea.MouseMsg) tea.Cmd {
	t, ok := s.overlay.(overlay.Taker)
	m, at := msg.Mouse(), s.overlayRect(s.bodyRect())
	in := at.Inside()
	if !ok || !in.Contains(m.X, m.Y) {
		return nil
	}
	if wheel, turned := wheelOf(msg); turned {
		return t.Take(wheel)
	}
	if _, click := msg.(tea.MouseClickMsg); click && m.Button == tea.MouseLeft {
		return t.Take(pane.ClickMsg{X: m.X - in.X, Y: m.Y - in.Y, Double: s.clicks.Double(m.X, m.Y, time.Now())})
	}
	return nil
}

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
	case y == s.h-2-len(s.tab().timeline.Line(s.w)) && s.notice.text != "":
		s.notice.text = ""
		return nil, true
	case s.tour.Scene().Of > 0 && s.tab().Ended == "":
		top := 1 + len(s.tabLine())
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
	line, counts := ansi.Strip(s.header()), ansi.Strip(s.tab().Counts())
	at := strings.LastIndex(line, counts)
	if at < 0 || counts == "" {
		return 0, 0
	}
	from = cells.Width(line[:at])
	return from, from + cells.Width(counts)
}

// clickFooter carries out the hint in a column of the footer.
func (s *Screen) clickFooter(x int) tea.Cmd {
	switch {
	case s.leaving.Line() != "" || s.chord != "":
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

// coalesceFor is within how long motions of the mouse count as one.
const coalesceFor = 16 * time.Millisecond

// Coalesce returns a filter for the program that lets through no more motions of
// the mouse than can be drawn: every message costs an update and a view.
func Coalesce() func(tea.Model, tea.Msg) tea.Msg {
	var last time.Time
	return func(_ tea.Model, msg tea.Msg) tea.Msg {
		if _, motion := msg.(tea.MouseMotionMsg); motion {
			now := time.Now()
			if now.Sub(last) < coalesceFor {
				return nil
			}
			last = now
		}
		return msg
	}
}
