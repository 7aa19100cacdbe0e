package screen

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/format"
	"wiretea/ui/keys"
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

// noOverlay says why no statistics can be laid over those of this session, empty = some can.
func (s *Screen) noOverlay() string {
	switch {
	case len(s.tabs) < 2:
		return "there is one session only; wiretea open A B opens two, whose statistics this lays over each other"
	case s.sessions.All():
		return "the statistics are those of all sessions; " + s.keys.WordOf(keys.NextFile, keys.Traffic) + " goes to one"
	}
	return ""
}

// overlayStatistics lays the statistics of the next session over those of this one, then
// of the one after that; after the last, none.
func (s *Screen) overlayStatistics() tea.Cmd {
	t := s.tab()
	at := s.sessions.At()
	if t.beside != nil {
		at = slices.Index(s.tabs, t.beside)
	}
	if t.beside = s.tabs[(at+1)%len(s.tabs)]; t.beside == t {
		t.beside = nil
	}
	s.lookBeside()
	words := "the statistics of this session alone"
	if t.beside != nil {
		words = "laid over each other: this session and " + t.Ctx.Other.Name + "; " + s.keys.WordOf(keys.Difference, keys.Stats) + " goes on"
	}
	return tea.Batch(t.TellOne(keys.Stats, pane.ShownMsg{}), s.Say(session.Info, words))
}

// lookBeside takes the latest of the session that is laid over this one.
func (s *Screen) lookBeside() {
	t := s.tab()
	t.Ctx.Other = nil
	if o := t.beside; o != nil {
		t.Ctx.Other = &pane.Other{Name: format.Visible([]byte(o.Source.Title()), 40), Snap: o.Source.Snapshot()}
	}
}
