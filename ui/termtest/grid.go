package termtest

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// A cell is one place on the screen.
type cell struct {
	text  string // text is the grapheme that begins here; empty = blank, or the rest of a wide one.
	style Style
	rest  bool // rest: the cell belongs to the wide character on its left.
}

// A grid is one screen of cells: the main one or the alternate.
type grid struct {
	w, h int
	rows [][]cell
}

func newGrid(w, h int) *grid {
	g := &grid{w: w, h: h, rows: make([][]cell, h)}
	for y := range g.rows {
		g.rows[y] = make([]cell, w)
	}
	return g
}

// resize keeps the upper left part, from row drop on.
func (g *grid) resize(w, h, drop int) {
	n := newGrid(w, h)
	for y := range n.rows {
		if y+drop >= g.h {
			break
		}
		old := g.rows[y+drop]
		if copy(n.rows[y], old); w < g.w && old[w].rest {
			n.unwiden(y, w-1)
		}
	}
	*g = *n
}

// mend blanks the wide character that is cut in two when something else begins
// at x.
func (g *grid) mend(y, x int) {
	if x <= 0 || x >= g.w || !g.rows[y][x].rest {
		return
	}
	g.unwiden(y, x-1)
	for row := g.rows[y]; x < g.w && row[x].rest; x++ {
		row[x] = cell{style: row[x].style}
	}
}

// unwiden blanks a wide character from x back to where it begins.
func (g *grid) unwiden(y, x int) {
	row := g.rows[y]
	for ; x > 0 && row[x].rest; x-- {
		row[x] = cell{style: row[x].style}
	}
	row[x] = cell{style: row[x].style}
}

// blank fills the cells from x0 to x1 of a row with nothing, in a style's
// background.
func (g *grid) blank(y, x0, x1 int, bg Color) {
	x0, x1 = max(0, x0), min(g.w, x1)
	if y < 0 || y >= g.h || x0 >= x1 {
		return
	}
	g.mend(y, x0)
	g.mend(y, x1)
	for x := x0; x < x1; x++ {
		g.rows[y][x] = cell{style: Style{Bg: bg}}
	}
}

// put sets a grapheme of w cells at x, which must fit.
func (g *grid) put(x, y, w int, text string, style Style) {
	g.mend(y, x)
	g.mend(y, x+w)
	g.rows[y][x] = cell{text: text, style: style}
	for i := 1; i < w; i++ {
		g.rows[y][x+i] = cell{style: style, rest: true}
	}
}

// scroll moves the rows from top to bottom, exclusive, up by n, or down where n
// is negative.
func (g *grid) scroll(top, bottom, n int, bg Color) {
	size := bottom - top
	if n == 0 || size <= 0 {
		return
	}
	n = max(-size, min(size, n))
	rows := g.rows[top:bottom]
	fresh := make([][]cell, size)
	for i := range fresh {
		if from := i + n; from >= 0 && from < size {
			fresh[i] = rows[from]
			continue
		}
		fresh[i] = make([]cell, g.w)
		for x := range fresh[i] {
			fresh[i][x].style.Bg = bg
		}
	}
	copy(rows, fresh)
}

// shift moves the cells from x to the end of a row left by n, or right where n
// is negative.
func (g *grid) shift(y, x, n int, bg Color) {
	row := g.rows[y]
	room := g.w - x
	n = max(-room, min(room, n))
	g.mend(y, x)
	if n > 0 {
		g.mend(y, x+n)
		copy(row[x:], row[x+n:])
		g.fill(row[g.w-n:], bg)
		return
	}
	g.mend(y, g.w+n)
	copy(row[x-n:], row[x:g.w+n])
	g.fill(row[x:x-n], bg)
}

func (g *grid) fill(cells []cell, bg Color) {
	for i := range cells {
		cells[i] = cell{style: Style{Bg: bg}}
	}
}

// line returns the text of a row without its trailing blanks.
func (g *grid) line(y int) string {
	var b strings.Builder
	blanks := 0
	for _, c := range g.rows[y] {
		switch {
		case c.rest:
		case c.text == "" || c.text == " ":
			blanks++
		default:
			for ; blanks > 0; blanks-- {
				b.WriteByte(' ')
			}
			b.WriteString(c.text)
		}
	}
	return b.String()
}

// longest is the most bytes a cell holds: combining characters beyond are lost.
const longest = 128

// width is what a grapheme takes where each character counts by itself.
func width(text string) int {
	if len(text) == 1 {
		return 1
	}
	return ansi.WcWidth.StringWidth(text)
}

// widthOf is how many cells a grapheme takes now.
func (t *Terminal) widthOf(text string) int {
	if t.modes[modeGraphemes] {
		return ansi.GraphemeWidth.StringWidth(text)
	}
	return width(text)
}

// print puts a character at the cursor.
func (t *Terminal) print(r rune) {
	if r >= 0x80 && r < 0xa0 {
		t.note("C1 U+%04X", r)
		return
	}
	text := asciiText(r)
	w := 1
	if r >= utf8.RuneSelf {
		if t.modes[modeGraphemes] && t.joins(text) {
			return
		}
		if w = t.widthOf(text); w == 0 {
			t.join(text, 0)
			return
		}
	}
	t.putNext(text, w)
}

// asciiText is string(r), without an allocation for ASCII: the runtime has a string for
// each byte.
func asciiText(r rune) string {
	if uint32(r) < utf8.RuneSelf {
		return string([]byte{byte(r)})
	}
	return string(r)
}

// putNext puts a grapheme at the cursor and moves on.
func (t *Terminal) putNext(text string, w int) {
	g := t.on
	if w > g.w {
		return
	}
	if t.at.wrap || t.at.x+w > g.w {
		if t.modes[modeAutoWrap] {
			t.at.x, t.at.wrap = 0, false
			t.index()
		} else {
			t.at.x = g.w - w
		}
	}
	if t.inserts {
		g.shift(t.at.y, t.at.x, -w, t.at.style.Bg)
	}
	g.put(t.at.x, t.at.y, w, text, t.at.style)
	t.last = text
	t.at.x += w
	if t.at.x >= g.w {
		t.at.x, t.at.wrap = g.w-1, t.modes[modeAutoWrap]
	}
}

// before returns the grapheme left of the cursor, where combining characters go;
// false if there is none.
func (t *Terminal) before() (x int, ok bool) {
	x = t.at.x
	if !t.at.wrap {
		x--
	}
	row := t.on.rows[t.at.y]
	for x > 0 && row[x].rest {
		x--
	}
	return x, x >= 0
}

// join adds a character to the grapheme left of the cursor, which grows by some
// cells.
func (t *Terminal) join(text string, grow int) {
	x, ok := t.before()
	if !ok {
		return
	}
	c := &t.on.rows[t.at.y][x]
	if c.text == "" {
		c.text = " "
	}
	if len(c.text)+len(text) > longest {
		return
	}
	joined, style := c.text+text, c.style
	if grow <= 0 || t.at.x+grow > t.on.w || t.at.wrap {
		c.text, t.last = joined, joined
		return
	}
	t.at.x = x
	t.putNext(joined, ansi.GraphemeWidth.StringWidth(joined))
	t.on.rows[t.at.y][x].style = style
}

// joins adds a character to the grapheme left of the cursor if they make up one
// cluster.
func (t *Terminal) joins(text string) bool {
	x, ok := t.before()
	if !ok {
		return false
	}
	old := t.on.rows[t.at.y][x].text
	if old == "" {
		return false
	}
	cluster, w := ansi.FirstGraphemeCluster(old+text, ansi.GraphemeWidth)
	if len(cluster) != len(old)+len(text) {
		return false
	}
	cells := 1
	for x+cells < t.on.w && t.on.rows[t.at.y][x+cells].rest {
		cells++
	}
	t.join(text, w-cells)
	return true
}
