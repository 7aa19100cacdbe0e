package screen

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/ui/overlay"
	"wiretea/ui/pane"
)

// Overlay implements host.Screen.
func (s *Screen) Overlay() overlay.Box { return s.overlay }

// Open implements host.Screen.
func (s *Screen) Open(b overlay.Box) {
	s.overlay = b
	if b != nil {
		s.prompt.Close()
		s.chord = ""
	}
}

// rests reports whether a box has come up by itself.
func rests(b overlay.Box) bool {
	r, ok := b.(overlay.Rester)
	return ok && r.Resting()
}

// overlayKey gives a key to the overlay; esc closes it unless it is a Taker or an Escaper
// that stays.
func (s *Screen) overlayKey(msg tea.KeyPressMsg) tea.Cmd {
	box := s.overlay
	if t, ok := box.(overlay.Taker); ok {
		return t.Take(msg)
	}
	if msg.String() == "esc" {
		if b, ok := box.(overlay.Escaper); !ok || !b.Escape() {
			s.overlay = nil
		}
		return nil
	}
	cmd, done := box.Key(msg)
	if done && s.overlay == box {
		s.overlay = nil
	}
	return cmd
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
