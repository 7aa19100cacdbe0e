package overlay

import (
	tea "charm.land/bubbletea/v2"

	"wiretea/session/cells"
	"wiretea/ui/keyhelp"
	"wiretea/ui/list"
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

// Size implements Box. The box is as large as its whole list needs, so that it keeps its size
// while a search is typed.
func (m *Menu) Size(th *style.Theme, w, h int) (int, int) {
	roomy, h := Roomy(w, h)
	const least = 96
	w = max(min(w, least), min(roomy, m.Widest()+2))
	return w, min(h, max(8, m.Height(th, w-2, h)+2))
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

// A Chooser is a list from which one line is chosen by typing, drawn line by line.
type Chooser struct{ list.Chooser }

// Draw draws the line of the search, or a hint, and the lines around the chosen one, h
// in all.
func (c *Chooser) Draw(th *style.Theme, w, h int, hint string, line func(i, w int) string) []string {
	lines := []string{cells.Fit(" "+th.Accent.Paint("/")+th.Strong.Paint(c.Search)+th.Accent.Paint("▏"), w), ""}
	if c.Search == "" {
		lines[0] = cells.Fit(th.Dim.Paint(" "+hint), w)
	}
	from, to := c.Window(h - 2)
	for at := from; at < to; at++ {
		text := cells.Fit(line(c.Found[at], w-1), w-1)
		if at == c.At {
			lines = append(lines, th.Selected.Paint("▸"+text))
			continue
		}
		lines = append(lines, " "+text)
	}
	return lines
}
