package screen

import (
	"bytes"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/ui/cells"
	"wiretea/ui/format"
	"wiretea/ui/keys"
	"wiretea/ui/list"
)

// A buildBox shows what a build has written.
type buildBox struct {
	tab   *tab
	built *Built
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
		b.w, b.lines = w, b.text(w)
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

// text is the output in lines of w cells.
func (b *buildBox) text(w int) []string {
	var lines []string
	part := func(text []byte) {
		for line := range bytes.Lines(text) {
			if at := bytes.LastIndexByte(bytes.TrimRight(line, "\r\n"), '\r'); at >= 0 {
				line = line[at+1:] // progress that was overwritten
			}
			line = bytes.TrimRight(line, "\r\n")
			for _, piece := range cells.Hardwrap(format.Visible(withoutStyles(line), 2000), max(1, w-2)) {
				lines = append(lines, " "+piece)
			}
		}
	}
	at := min(b.built.At, len(b.built.Output))
	part(b.built.Output[:at])
	if b.built.Cut > 0 {
		lines = append(lines, " … "+format.Size(b.built.Cut)+" left out …")
	}
	part(b.built.Output[at:])
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// withoutStyles takes colours (SGR sequences) out of a line. Everything else that a
// terminal would obey is left, to be made visible.
func withoutStyles(line []byte) []byte {
	if !bytes.Contains(line, []byte("\x1b[")) {
		return line
	}
	var out []byte
	for len(line) > 0 {
		if n := styleLen(line); n > 0 {
			line = line[n:]
			continue
		}
		out = append(out, line[0])
		line = line[1:]
	}
	return out
}

// styleLen is the length of the SGR sequence, or the erasing of the rest of a line,
// that a text begins with; 0 = it begins with none.
func styleLen(text []byte) int {
	if !bytes.HasPrefix(text, []byte("\x1b[")) {
		return 0
	}
	for i := 2; i < len(text) && i < 64; i++ {
		switch c := text[i]; {
		case c == 'm', c == 'K':
			return i + 1
		case c >= '0' && c <= '9', c == ';', c == ':':
		default:
			return 0
		}
	}
	return 0
}

// Lines are the lines of a build's output, safe to print, without colours.
func (b *Built) Lines(w int) []string { return (&buildBox{built: b}).text(w) }
