package jsonview

import (
	"bytes"
	"slices"
	"sort"
	"strings"

	"wiretea/session/cells"
	"wiretea/session/json/lex"
	"wiretea/session/text"
	"wiretea/ui/style"
)

// ground is what lies under the styles of a row.
type ground uint8

const (
	plainGround ground = iota
	selectedGround
	blurredGround
	numGrounds
)

// paint is the styles of a theme, combined.
type paint struct {
	theme  *style.Theme
	styles [numInks][numGrounds][3]style.Style
}

// use takes the styles of a theme.
func (p *paint) use(t *style.Theme) {
	if p.theme == t {
		return
	}
	p.theme = t
	base := [numInks]style.Style{inkText: t.Text, inkKey: t.Key, inkString: t.String, inkNumber: t.Number, inkLiteral: t.Literal,
		inkPunct: t.Punct, inkFold: t.Fold, inkDim: t.Dim, inkError: t.Error, inkStrong: t.Strong, inkGood: t.OK}
	grounds := [numGrounds]style.Style{selectedGround: t.Selected, blurredGround: t.SelectedBlur}
	hits := [3]style.Style{1: t.Hit, 2: t.HitNow}
	for k, style := range base {
		for g, under := range grounds {
			for h, hit := range hits {
				p.styles[k][g][h] = style.With(under).With(hit)
			}
		}
	}
}

// Lines draws the window: h lines of w cells.
func (v *View) Lines(t *style.Theme, w, h int, focus bool) []string {
	v.Resize(w, h)
	v.paint.use(t)
	out := make([]string, 0, h)
	var b strings.Builder
	for at, ok := v.top, !v.Empty(); ok && len(out) < h; at, ok = v.nextRow(at) {
		g := plainGround
		if at == v.cursor {
			g = blurredGround
			if focus {
				g = selectedGround
			}
		}
		b.Reset()
		b.Grow(2 * w)
		v.row(&b, at, w, g)
		out = append(out, b.String())
	}
	return cells.Fill(out, w, h)
}

// row draws one row.
func (v *View) row(b *strings.Builder, at place, w int, g ground) {
	if v.doc.kind == Hex {
		v.hexRow(at.line)
		if v.cells.width > w {
			v.cells.cut(w - 1)
			v.cells.words("…", -1, inkDim)
		}
		v.mark()
		v.write(b, w, g)
		return
	}
	l := v.read.at(at.line)
	indent, room := v.room(&l, w)
	folded := v.isFolded(at.line, &l)
	if indent = min(indent, w-1); indent > 0 {
		v.margin(b, &l, at, indent, folded, g)
	}
	room = min(room, w-indent)
	if v.wraps(at.line, &l) {
		v.layout(at.line, &l, at.off, room, true)
	} else {
		v.cutRow(at.line, &l, room)
	}
	v.mark()
	v.write(b, room, g)
}

// margin draws the indentation and the sign of folding.
func (v *View) margin(b *strings.Builder, l *line, at place, indent int, folded bool, g ground) {
	sign := "  "
	switch {
	case l.kind != openLine || at.off > l.off:
	case folded:
		sign = "▸ "
	default:
		sign = "▾ "
	}
	if indent < signWidth {
		sign = cells.Spaces(indent)
	}
	under := v.paint.styles[inkText][g][0]
	if g == plainGround {
		under = ""
	}
	under.Write(b, cells.Spaces(indent-cells.Width(sign)))
	if sign[0] == ' ' {
		under.Write(b, sign)
		return
	}
	v.paint.styles[inkFold][g][0].Write(b, sign)
}

// cutRow lays out a line in one row. What does not fit is cut, and where that is
// a string its size is at the end. The current hit is always in
// the row.
func (v *View) cutRow(n uint32, l *line, w int) {
	from := l.off
	_, more := v.layout(n, l, from, w, false)
	if !more {
		return
	}
	tail := "…"
	if t := v.cutToken; t.words == "" && !t.brief {
		size := t.to - t.from
		if l.kind == textLine {
			size = len(bytes.TrimSuffix(v.doc.body[l.off:l.end], []byte("\n")))
		}
		if size > 2*w && w >= 24 {
			tail = "… " + text.Size(int64(size))
		}
	}
	width := cells.Width(tail)
	v.cells.cut(max(0, w-width))
	if last := len(v.cells.list); v.hit >= l.off && v.hit < l.end && last > 0 && v.hit+v.find.Len() > v.cells.list[last-1].raw {
		if from = v.boundary(l, max(l.off, v.hit-w/3)); from > v.cells.list[0].raw {
			_, more = v.layout(n, l, from, max(1, w-1), false)
			v.cells.prepend("…", inkDim)
			if !more {
				return
			}
			v.cells.cut(max(0, w-width))
		}
	}
	v.cells.words(tail, -1, inkDim)
}

// prepend puts a cell before all others.
func (c *cellRow) prepend(text string, k ink) {
	for i := range c.list {
		c.list[i].text += uint32(len(text))
	}
	c.list = slices.Insert(c.list, 0, cell{raw: -1, width: 1, ink: k})
	c.text = slices.Insert(c.text, 0, []byte(text)...)
	c.width++
}

// mark marks the cells that show what was searched for.
func (v *View) mark() {
	size := v.find.Len()
	if size == 0 {
		return
	}
	first, last := -1, -1
	for i := range v.cells.list {
		if raw := v.cells.list[i].raw; raw >= 0 {
			if first < 0 || raw < first {
				first = raw
			}
			last = max(last, raw)
		}
	}
	if first < 0 {
		return
	}
	// A hit may begin before the row and end behind it.
	b := v.doc.body
	from, to := max(0, first-size+1), min(len(b), last+size)
	if to-from > 64*(v.w+size) {
		to = from + 64*(v.w+size) // White space between tokens is not searched through for ever.
	}
	for from < to {
		n := v.find.Index(b[from:to])
		if n < 0 {
			return
		}
		at := from + n
		kind := uint8(1)
		if at == v.hit {
			kind = 2
		}
		for i := range v.cells.list {
			if c := &v.cells.list[i]; c.raw >= at && c.raw < at+size && c.hit < kind {
				c.hit = kind
			}
		}
		from = at + 1
	}
}

// write writes the cells and pads them to w.
func (v *View) write(b *strings.Builder, w int, g ground) {
	c := &v.cells
	c.cut(w)
	for i := 0; i < len(c.list); {
		first := &c.list[i]
		j := i + 1
		for j < len(c.list) && c.list[j].ink == first.ink && c.list[j].hit == first.hit {
			j++
		}
		end := len(c.text)
		if j < len(c.list) {
			end = int(c.list[j].text)
		}
		writeStyled(b, v.paint.styles[first.ink][g][first.hit], c.text[first.text:end])
		i = j
	}
	if pad := w - c.width; pad > 0 {
		if g == plainGround {
			b.WriteString(cells.Spaces(pad))
		} else {
			v.paint.styles[inkText][g][0].Write(b, cells.Spaces(pad))
		}
	}
}

// writeStyled writes text in a style.
func writeStyled(b *strings.Builder, style style.Style, text []byte) {
	if style == "" {
		b.Write(text)
		return
	}
	b.WriteString("\x1b[")
	b.WriteString(string(style))
	b.WriteByte('m')
	b.Write(text)
	b.WriteString("\x1b[m")
}

// lineKind is what a line holds.
type lineKind uint8

const (
	leafLine  lineKind = iota // a scalar or an empty container, with its key
	openLine                  // the beginning of a container, with its key
	closeLine                 // its end
	textLine
	noteLine // what is wrong from here on; it covers no bytes
)

// A line is a line of a Document. It covers the bytes from off to end, with the
// white space and the comma behind it; the first one also those before it.
type line struct {
	off, end int
	value    int // value is where its value begins: behind the key where there is one.
	depth    int
	kind     lineKind
}

// hasKey reports whether the line begins with a key.
func (l *line) hasKey() bool { return l.value > l.off }

// A reader reads lines of a Document and keeps the latest blocks of them. It is
// for one goroutine.
type reader struct {
	doc  *Document
	kept [keptBlocks]struct {
		block int // block is the number of the block, plus one.
		lines []line
	}
}

const keptBlocks = 16

// at returns line n, which must be there.
func (r *reader) at(n uint32) line {
	i := r.blockOf(n)
	return r.block(i)[n-r.doc.blocks[i].line]
}

// blockOf returns the number of the block of line n.
func (r *reader) blockOf(n uint32) int {
	blocks := r.doc.blocks
	return sort.Search(len(blocks), func(i int) bool { return blocks[i].line > n }) - 1
}

// lineOf returns the number of the line that covers a byte.
func (r *reader) lineOf(off int) uint32 {
	blocks := r.doc.blocks
	i := max(0, sort.Search(len(blocks), func(i int) bool { return int(blocks[i].off) > off })-1)
	lines := r.block(i)
	n := sort.Search(len(lines), func(i int) bool { return lines[i].off > off })
	return blocks[i].line + uint32(max(0, n-1))
}

// block returns the lines of block i.
func (r *reader) block(i int) []line {
	kept := &r.kept[i%keptBlocks]
	if kept.block != i+1 {
		kept.block, kept.lines = i+1, r.read(i, kept.lines[:0])
	}
	return kept.lines
}

// read reads the lines of block i from the text.
func (r *reader) read(i int, lines []line) []line {
	d := r.doc
	b := d.blocks[i]
	n, end := d.lines, len(d.body)
	if i+1 < len(d.blocks) {
		n, end = d.blocks[i+1].line, int(d.blocks[i+1].off)
	}
	n -= b.line
	pos := int(b.off)
	switch {
	case d.bad >= 0 && b.line == d.note:
		return append(lines, line{off: pos, end: pos, value: pos, kind: noteLine})
	case d.kind == Text || d.bad >= 0 && b.line > d.note:
		for range n {
			next := endOfText(d.body, pos)
			lines = append(lines, line{off: pos, end: next, value: pos, kind: textLine})
			pos = next
		}
		return lines
	}
	depth := int(b.depth)
	for k := range n {
		l, next := readLine(d.body[:end], pos, k+1 == n)
		// That a line ends a container is known once it is seen.
		if k > 0 && l.kind == closeLine {
			depth--
		}
		l.depth = depth
		if l.kind == openLine {
			depth++
		}
		if k > 0 {
			lines[k-1].end = l.off
		}
		lines = append(lines, l)
		pos = next
	}
	lines[n-1].end = end
	return lines
}

// readLine reads the line of JSON that begins at pos, and returns where the next
// one begins; for the last one of a block, which may be long, that is not looked
// for. The text has been read before and is right up to the next line.
func readLine(b []byte, pos int, last bool) (l line, next int) {
	l = line{off: pos, value: pos}
	if pos >= len(b) {
		return l, pos
	}
	switch c := b[pos]; c {
	case '}', ']':
		l.kind = closeLine
		return l, behindComma(b, pos+1)
	case '"':
		end := lex.StringEnd(b, pos)
		colon := lex.SkipSpace(b, end)
		if colon >= len(b) || b[colon] != ':' {
			return l, behindComma(b, end)
		}
		l.value = lex.SkipSpace(b, colon+1)
	}
	if l.value >= len(b) {
		return l, len(b)
	}
	switch c := b[l.value]; {
	case c == '{' || c == '[':
		inside := lex.SkipSpace(b, l.value+1)
		if inside < len(b) && b[inside] == c+2 {
			return l, behindComma(b, inside+1)
		}
		l.kind = openLine
		return l, inside
	case last:
		return l, len(b)
	case c == '"':
		return l, behindComma(b, lex.StringEnd(b, l.value))
	}
	end := l.value
	for end < len(b) && !ends(b, end) {
		end++
	}
	return l, behindComma(b, end)
}

// behindComma steps over white space, a comma, and white space.
func behindComma(b []byte, i int) int {
	i = lex.SkipSpace(b, i)
	if i < len(b) && b[i] == ',' {
		i = lex.SkipSpace(b, i+1)
	}
	return i
}
