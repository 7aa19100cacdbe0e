package screen

import (
	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/watch"
	"wiretea/ui/format"
	"wiretea/ui/keys"
	"wiretea/ui/list"
	"wiretea/ui/source"
)

// A buildBox shows what a build has written.
type buildBox struct {
	tab   *tab
	built *watch.Built
	page  list.Page
	moved bool // moved: somebody has read in it; before, its end is shown.
	w     int  // w is the width that lines was made for.
	lines []string
}

func (b *buildBox) title() string { return b.built.String() }

// size is what the output takes, as far as there is room.
func (b *buildBox) size(_ *Screen, w, h int) (int, int) {
	w, h = roomy(w, h)
	b.lay(w - 2)
	return w, min(h, max(8, len(b.lines)+4))
}

func (b *buildBox) lay(w int) {
	if b.w != w {
		b.w, b.lines = w, source.BuildLines(b.built, w)
	}
}

func (b *buildBox) key(s *Screen, msg tea.KeyPressMsg) tea.Cmd {
	switch name := msg.String(); name {
	case "q", "enter":
		s.overlay = nil
	default:
		b.moved = b.page.Do(keys.Moving(name)) || b.moved
	}
	return nil
}

func (b *buildBox) view(s *Screen, w, h int) []string {
	b.lay(w)
	head := []string{" " + s.theme.Dim.Paint(format.Visible([]byte(b.built.Command), 300)), ""}
	if h < 6 {
		head = nil
	}
	lines := b.lines
	if len(lines) == 0 {
		lines = []string{" (it wrote nothing)"}
	}
	room := max(1, h-len(head))
	if !b.moved {
		b.page.Top = len(lines)
	}
	from, to := b.page.Fit(len(lines), room)
	return append(head, lines[from:to]...)
}
