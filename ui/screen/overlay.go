package screen

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/check"
	"wiretea/ui/cells"
	"wiretea/ui/format"
	"wiretea/ui/keys"
	"wiretea/ui/list"
	"wiretea/ui/pane"
)

// An overlay is a box over the panes that takes the keys while it is open.
type overlay interface {
	key(s *Screen, msg tea.KeyPressMsg) tea.Cmd
	title() string

	// size is how large the box is, border included, in a body of w by h cells.
	size(s *Screen, w, h int) (int, int)

	// view draws the inside: at most h lines of at most w cells.
	view(s *Screen, w, h int) []string
}

// roomy is the size of a box that is read for a while.
func roomy(w, h int) (int, int) {
	h = min(h, max(8, h*4/5))
	if w < 70 {
		return w, h
	}
	return min(w, max(60, w*3/4)), h
}

// A taker is an overlay that takes all that comes while it is open: keys, esc
// too, pastes, and the mouse as pane.Click and pane.Wheel.
type taker interface {
	overlay
	take(s *Screen, msg tea.Msg) tea.Cmd
}

// overlayKey gives a key to the overlay; esc closes one that is no taker.
func (s *Screen) overlayKey(msg tea.KeyPressMsg) tea.Cmd {
	if t, ok := s.overlay.(taker); ok {
		return t.take(s, msg)
	}
	if msg.String() == "esc" {
		if b, ok := s.overlay.(interface{ escape() bool }); ok && b.escape() {
			return nil
		}
		s.overlay = nil
		return nil
	}
	return s.overlay.key(s, msg)
}

// overlayMouse gives the mouse to an overlay that takes it, where it is over it.
func (s *Screen) overlayMouse(msg tea.MouseMsg) tea.Cmd {
	t, ok := s.overlay.(taker)
	m, at := msg.Mouse(), s.overlayRect(s.bodyRect())
	in := at.inside()
	if !ok || !in.contains(m.X, m.Y) {
		return nil
	}
	switch msg.(type) {
	case tea.MouseWheelMsg:
		lines := 3
		if m.Button == tea.MouseWheelUp {
			lines = -3
		}
		return t.take(s, pane.Wheel{Lines: lines})
	case tea.MouseClickMsg:
		if m.Button == tea.MouseLeft {
			return t.take(s, pane.Click{X: m.X - in.x, Y: m.Y - in.y, Double: s.clicks.Double(m.X, m.Y, time.Now())})
		}
	}
	return nil
}

// An explainBox shows what a rule is.
type explainBox struct {
	rule *check.Rule
	page list.Page
}

// explain opens the explanation of a rule.
func (s *Screen) explain(id string) tea.Cmd {
	rule := check.Lookup(id)
	if rule == nil {
		return s.say(session.Error, "unknown rule "+id+"; tab after :explain lists them")
	}
	s.overlay = &explainBox{rule: rule}
	return nil
}

func (b *explainBox) title() string { return b.rule.ID }

func (b *explainBox) size(_ *Screen, w, h int) (int, int) { return roomy(w, h) }

func (b *explainBox) key(s *Screen, msg tea.KeyPressMsg) tea.Cmd {
	switch name := msg.String(); name {
	case "q", "enter":
		s.overlay = nil
	default:
		b.page.Do(keys.Moving(name))
	}
	return nil
}

// factW is where the facts of a rule stand beside their labels.
const factW = 11

// explained breaks a line of an explanation: a fact stays beside its label, and an
// address is broken only where it has to be.
func explained(line string, w int) []string {
	lead, wrap := "", cells.Wrap
	if len(line) > factW && line[factW-2:factW] == "  " && w >= 3*factW {
		lead, line = line[:factW], line[factW:]
	}
	if !strings.Contains(line, " ") {
		wrap = cells.Hardwrap
	}
	var lines []string
	for _, part := range wrap(line, max(10, w-1-len(lead))) {
		lines = append(lines, " "+lead+part)
		lead = cells.Spaces(len(lead))
	}
	return lines
}

func (b *explainBox) view(s *Screen, w, h int) []string {
	var text strings.Builder
	_ = check.WriteText(&text, b.rule) // a Builder takes everything
	text.WriteString(clientsOf(b.rule.ID))
	var lines []string
	for line := range strings.Lines(text.String()) {
		line = format.Visible([]byte(strings.TrimRight(line, "\n")), 0)
		if line == "" {
			lines = append(lines, "")
			continue
		}
		lines = append(lines, explained(line, w-1)...)
	}
	from, to := b.page.Fit(len(lines), h)
	return lines[from:to]
}
