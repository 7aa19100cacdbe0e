package overlay

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session/cells"
	"wiretea/ui/style"
)

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

// NamesEscape implements Hinted.
func (b *Confirm) NamesEscape() {}

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

// View implements Box. If the lines do not fit, warnings come first and the end is cut;
// the answers stay.
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
