package tools

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Narrow shows only what has a text in its name, title or description, without
// regard to case; empty shows everything.
func (p *Pane) Narrow(text string) tea.Cmd {
	p.narrow = text
	p.arrange()
	// The head of a section is nothing to look for.
	if text != "" && p.list.At < len(p.lines) && p.lines[p.list.At].item < 0 {
		p.hit(1)
	}
	p.about.Top = 0
	return p.show()
}

// Narrowed is what Narrow was told, empty = nothing.
func (p *Pane) Narrowed() string { return p.narrow }

// meant reports whether an item is shown.
func (p *Pane) meant(it *item) bool {
	texts := []string{it.name, it.uri, it.brief, it.form.about}
	if len(it.about) > 0 && it.about[0].style == strong {
		texts = append(texts, it.about[0].text)
	}
	return p.narrow == "" || slices.ContainsFunc(texts, func(text string) bool {
		return strings.Contains(strings.ToLower(text), strings.ToLower(p.narrow))
	})
}

// hit goes to the next item, or the one before, over the heads of sections and
// around the ends.
func (p *Pane) hit(step int) {
	n := len(p.lines)
	for i := 1; i <= n; i++ {
		if at := ((p.list.At+i*step)%n + n) % n; p.lines[at].item >= 0 {
			p.list.At = at
			return
		}
	}
}
