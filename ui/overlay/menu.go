package overlay

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/ui/cells"
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

// A Confirm is a question: y does what it asks about, n does not, or does something else
// where that is said, and esc closes it; so do the keys that elsewhere agree or leave. Any
// other key does not answer it: it closes the question and does what it does without it. A Confirm is opened by a key only, never by a message,
// so that a key typed for something else never answers it.
type Confirm struct {
	Head  string // Head is what it is about, in a few words.
	Parts []Part
	Yes   string // Yes is what y does, in words: "sends it".
	Do    func() tea.Cmd
	Also  []string // Also are further keys that do it.
	Or    string   // Or is what n does, empty = nothing of its own.
	OrDo  func() tea.Cmd
}

// Title implements Box.
func (b *Confirm) Title() string { return b.Head }

// Answers reports whether a key is an answer.
func (b *Confirm) Answers(key string) bool {
	return slices.Contains([]string{"y", "Y", "n", "N", "esc", "enter", "q", "ctrl+c"}, key) || slices.Contains(b.Also, key)
}

// Key implements Box.
func (b *Confirm) Key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	switch k := msg.String(); {
	case k == "y" || k == "Y" || slices.Contains(b.Also, k):
		return b.Do(), true
	case b.Or != "" && (k == "n" || k == "N"):
		return b.OrDo(), true
	}
	return nil, true
}

// Size implements Box: as much as the question takes, and as much as there is.
func (b *Confirm) Size(th *style.Theme, w, h int) (int, int) {
	w = min(w, 78)
	return w, min(h, len(b.lines(th, w-2))+2)
}

// lines is the whole question in lines of w cells, the answers last.
func (b *Confirm) lines(th *style.Theme, w int) []string {
	var lines []string
	for i, p := range b.Parts {
		if i > 0 && (p.thing() || b.Parts[i-1].thing()) {
			lines = append(lines, "")
		}
		lines = append(lines, p.Lines(th, w)...)
	}
	return append(append(lines, ""), b.answers(th, w)...)
}

func (b *Confirm) answers(th *style.Theme, w int) []string {
	words := []string{th.Accent.Paint("y") + " " + b.Yes}
	if b.Or == "" {
		words = append(words, th.Accent.Paint("n esc")+" does not")
	} else {
		words = append(words, th.Accent.Paint("n")+" "+b.Or, th.Accent.Paint("esc")+" neither")
	}
	if line := " " + strings.Join(words, th.Dim.Paint(" · ")); cells.Width(line) < w {
		return []string{line}
	}
	for i := range words {
		words[i] = " " + words[i]
	}
	return words
}

// View implements Box. Where there is no room for all of it, what should be
// known before stays longest, and the answers in any case.
func (b *Confirm) View(th *style.Theme, w, h int) []string {
	lines := b.lines(th, w)
	if len(lines) <= h {
		return lines
	}
	lines = nil
	for _, kind := range []Kind{Warn, Thing, Whole, Text} {
		for _, p := range b.Parts {
			if p.Kind == kind {
				lines = append(lines, p.Lines(th, w)...)
			}
		}
	}
	answers := b.answers(th, w)
	lines = append(lines[:min(len(lines), max(0, h-len(answers)))], answers...)
	return lines[:min(len(lines), h)]
}
