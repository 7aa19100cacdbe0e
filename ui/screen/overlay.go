package screen

import (
	tea "charm.land/bubbletea/v2"

	"wiretea/ui/overlay"
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
