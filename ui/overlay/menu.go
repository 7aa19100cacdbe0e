package overlay

import (
	tea "charm.land/bubbletea/v2"

	"wiretea/ui/keyhelp"
	"wiretea/ui/style"
)

// A Menu is a list of things that can be done. It is searched by typing, and carries out
// what is chosen.
type Menu struct {
	keyhelp.Box
	Name  string // Name is in its border.
	Close func() // Close closes the box that is open.
}

// Title implements Box.
func (m *Menu) Title() string { return m.Name }

// Size implements Box.
func (m *Menu) Size(_ *style.Theme, w, h int) (int, int) {
	roomy, h := Roomy(w, h)
	return max(roomy, min(w, 96)), h
}

// Key implements Box. The menu is closed before the chosen entry is carried out, which may
// open another box.
func (m *Menu) Key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	if msg.String() == "enter" {
		if at := m.Chosen(); at < 0 || m.Entries[at].Do == nil {
			return nil, false
		}
		m.Close()
		return m.Enter(), true
	}
	m.Box.Key(msg)
	return nil, false
}
