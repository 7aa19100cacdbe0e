package tools

import (
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
	return p.narrow == "" || hasFold(it.name, p.narrow) || hasFold(it.uri, p.narrow) || hasFold(it.brief, p.narrow) || hasFold(it.form.about, p.narrow) ||
		len(it.about) > 0 && it.about[0].style == strong && hasFold(it.about[0].text, p.narrow)
}

// meantIn counts the items of a section that are shown.
func (p *Pane) meantIn(k kind) (n int) {
	for _, e := range p.lines {
		if e.kind == k && e.item >= 0 {
			n++
		}
	}
	return n
}

// hasFold reports whether a text has a part, without regard to case.
func hasFold(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
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
