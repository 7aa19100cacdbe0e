package form

import (
	"strings"

	"wiretea/ui/cells"
	"wiretea/ui/style"
)

// A canvas draws rows of an editor.
type canvas struct {
	theme  *style.Theme
	inks   func(t *style.Theme, text []byte, from, to int) []ink
	cursor bool // cursor: it is shown.
	ends   bool // ends: so are line ends.
	wrong  int  // wrong is a byte that is marked, -1 = none.
}

// lines draws the window: at most h rows of w cells, and the cells for the
// cursor behind them.
func (c canvas) lines(e *editor, w, h int) []string {
	starts := e.window(max(1, w-1), max(1, h))
	last, _ := e.row(starts[len(starts)-1])
	inks := c.inks(c.theme, e.text, starts[0], min(len(e.text), last+1))
	out := make([]string, len(starts))
	for i, start := range starts {
		end, next := e.row(start)
		var b strings.Builder
		used := 0
		put := func(text string, width, at int, style style.Style) {
			if c.cursor && at == e.at {
				style = style.With(c.theme.Cursor)
			}
			if at == c.wrong {
				style = style.With(c.theme.Wrong)
			}
			style.Write(&b, text)
			used += width
		}
		for at := start; at < end; {
			for len(inks) > 1 && inks[0].end <= at {
				inks = inks[1:]
			}
			text, width, size := glyph(e.text[at:])
			style := c.theme.Text
			if len(inks) > 0 {
				style = inks[0].style
			}
			put(text, width, at, style)
			at += size
		}
		switch {
		case c.ends && next == end+1:
			put("␊", 1, end, c.theme.Dim)
		case (next < 0 || next == end+1) && (c.cursor && e.at == end || c.wrong == end):
			put(" ", 1, end, c.theme.Text)
		}
		out[i] = b.String() + cells.Spaces(w-used)
	}
	return out
}

// first draws the beginning of a text in one row of w cells.
func (c canvas) first(text []byte, w int) string {
	cut := text[:min(len(text), 8*w+8)]
	var b strings.Builder
	used := 0
	inks := c.inks(c.theme, cut, 0, len(cut))
	for at := 0; at < len(cut); {
		for len(inks) > 1 && inks[0].end <= at {
			inks = inks[1:]
		}
		glyphText, width, size := glyph(cut[at:])
		if used+width > w-1 && (at+size < len(text) || used+width > w) {
			b.WriteString("…")
			return b.String()
		}
		inks[0].style.Write(&b, glyphText)
		at, used = at+size, used+width
	}
	return b.String()
}
