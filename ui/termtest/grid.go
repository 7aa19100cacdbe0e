package termtest

import "strings"

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
