package form

import (
	"strings"

	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/keys"
	"wiretea/ui/style"
)

// menuHeight is how many items of a menu are shown at most.
const menuHeight = 8

// seen is what the screen shows, for the mouse and for pages.
type seen struct {
	lines []seenLine
	rows  int // rows is how many rows are in the window.
}

// A seenLine is a line of the view.
type seenLine struct {
	row  int // row is which one it belongs to, -1 = none.
	item int // item is which one of the menu it shows, -1 = none.
}

func (s *seen) page() int { return max(1, s.rows-1) }

// View draws the form: exactly h lines of w cells, both at least 1. With focus,
// it shows the cursor. It changes nothing but the place of the window.
func (f *Form) View(t *style.Theme, w, h int, focus bool) []string {
	p := &painting{form: f, theme: t, w: w, focus: focus}
	body := h
	if h >= 4 {
		body = h - 2
		p.add(p.header(), -1, -1)
	}
	p.h = body
	if f.mode == Fields {
		p.fields(body)
	} else {
		p.text(body)
	}
	if h >= 4 {
		for len(p.lines) < h-1 {
			p.add("", -1, -1)
		}
		p.lines, p.seen = p.lines[:h-1], p.seen[:h-1]
		p.add(p.footer(), -1, -1)
	}
	f.seen.lines = p.seen[:min(len(p.seen), h)]
	return cells.Lines(p.lines, w, h)
}

// A painting is a view that is drawn.
type painting struct {
	form  *Form
	theme *style.Theme
	w, h  int // w and h are the size of what is between header and footer.
	focus bool
	names int // names are the cells that the names of fields have.
	lines []string
	seen  []seenLine
}

func (p *painting) add(line string, row, item int) {
	p.lines = append(p.lines, line)
	p.seen = append(p.seen, seenLine{row, item})
}

// header says what is filled in, and in which mode.
func (p *painting) header() string {
	t, f := p.theme, p.form
	var modes []string
	for m := range numModes {
		switch {
		case m == f.mode:
			modes = append(modes, t.Accent.Paint("["+m.String()+"]"))
		case m != Malformed || f.cfg.Malformed:
			modes = append(modes, t.Dim.Paint(" "+m.String()+" "))
		}
	}
	right := strings.Join(modes, "")
	if room := p.w - cells.Width(right) - 1; room >= 8 {
		return cells.Fit(" "+t.Strong.Paint(f.cfg.Title), room) + right + " "
	}
	return " " + t.Strong.Paint(f.cfg.Title)
}

// footer says the state of the values, and which keys there are.
func (p *painting) footer() string {
	left := " " + p.theme.Dim.Paint(p.hidden()) + p.state()
	var hints []string
	for _, k := range Table {
		if k.Hint == "" || k.Mode != nil && p.form.mode != Fields || p.form.cfg.Buttons && (k.Hint == "send" || k.Hint == "leave") {
			continue
		}
		hint := k.Hint
		if hint == "raw" {
			hint = ((p.form.mode + 1) % numModes).String()
			if p.form.mode == Raw && !p.form.cfg.Malformed {
				hint = Fields.String()
			}
		}
		hints = append(hints, p.theme.Accent.Paint(keys.Word(k.Keys[0]))+p.theme.Footer.Paint(" "+hint))
	}
	for len(hints) > 0 {
		right := strings.Join(hints, "  ")
		if n := cells.Width(left) + cells.Width(right) + 3; n <= p.w {
			return left + cells.Spaces(p.w-n+2) + right + " "
		}
		hints = hints[:len(hints)-1]
	}
	return left
}

// hidden says how many rows are above and below the window, empty = none.
func (p *painting) hidden() string {
	f := p.form
	if f.mode != Fields {
		return ""
	}
	words := ""
	if f.top > 0 {
		words = "↑" + text.Count(int64(f.top)) + " "
	}
	if below := len(f.rows) - f.top - f.seen.rows; below > 0 {
		words += "↓" + text.Count(int64(below)) + " "
	}
	return words
}

func (p *painting) state() string {
	t, f := p.theme, p.form
	c := &f.checks
	switch {
	case f.notice != "":
		return t.Warning.Paint("⚠ " + f.notice)
	case f.mode == Malformed:
		return t.Warning.Paint("⚠ ") + t.Text.Paint(c.facts)
	case len(c.problems) > 0:
		return p.problems()
	case c.gen == 0 || c.done != c.gen:
		return t.Dim.Paint("… checking")
	case c.note != "":
		return t.Warning.Paint("⚠ " + c.note)
	}
	return t.OK.Paint("✔ ") + t.Text.Paint("valid")
}

// problems says what is wrong, or, where that is only that required fields have not been
// filled in yet, which.
func (p *painting) problems() string {
	t := p.theme
	var wrong []Problem
	var empty []string
	for _, x := range p.form.checks.problems {
		if p.form.awaited(x) {
			empty = append(empty, way(x.Path))
		} else {
			wrong = append(wrong, x)
		}
	}
	switch len(wrong) {
	case 0:
		return t.Warning.Paint("*") + t.Text.Paint(" required: ") + t.Key.Paint(strings.Join(empty, ", "))
	case 1:
		return t.Error.Paint("✖ ") + p.problem(wrong[0])
	}
	return t.Error.Paint("✖ "+text.Plural(int64(len(wrong)), "problem")) + t.Text.Paint(": ") + p.problem(wrong[0])
}

// problem is a problem in a line, with the way to it.
func (p *painting) problem(x Problem) string {
	if len(x.Path) == 0 {
		return p.theme.Text.Paint(x.Text)
	}
	between := " "
	if strings.HasPrefix(x.Text, "not ") {
		between = ": "
	}
	return p.theme.Key.Paint(way(x.Path)) + p.theme.Text.Paint(between+x.Text)
}

// way is a path in a word that is fit for the screen.
func way(path []string) string {
	var names []string
	for _, name := range path {
		names = append(names, inline(name, 40))
	}
	return strings.Join(names, ".")
}

// text draws raw and malformed mode.
func (p *painting) text(h int) {
	f := p.form
	c := canvas{theme: p.theme, inks: jsonInks, cursor: p.focus, wrong: -1}
	if f.mode == Malformed {
		c.inks, c.ends = escapeInks, true
	} else if f.checks.done == f.checks.gen {
		c.wrong = f.checks.wrong
	}
	margin := 1
	if p.w < 20 {
		margin = 0
	}
	for _, line := range c.lines(f.editor(), p.w-2*margin, h) {
		p.add(cells.Spaces(margin)+line, -1, -1)
	}
	f.seen.rows = h
}

// fields draws the window of the form: the row that has the focus is in it, as
// a whole where it can be.
func (p *painting) fields(h int) {
	f := p.form
	drawn, names := map[int]*painting{}, p.nameColumn()
	row := func(i int) *painting {
		if drawn[i] == nil {
			drawn[i] = &painting{form: f, theme: p.theme, w: p.w, h: h, focus: p.focus, names: names}
			drawn[i].row(i)
		}
		return drawn[i]
	}
	least, sum := f.at, len(row(f.at).lines)
	for least > 0 && sum+len(row(least-1).lines) <= h {
		least--
		sum += len(row(least).lines)
	}
	f.top = max(least, min(f.top, f.at))
	if f.at <= 1 && least == 0 {
		f.top = 0
	}
	f.seen.rows = 0
	before := len(p.lines)
	for i := f.top; i < len(f.rows) && len(p.lines)-before < h; i++ {
		r := row(i)
		p.lines, p.seen = append(p.lines, r.lines...), append(p.seen, r.seen...)
		f.seen.rows++
	}
}

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
