package termtest

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"strings"
)

// A Palette16 is how a picture is coloured: what the terminal's own settings say
// on a real one.
type Palette16 struct {
	Fg, Bg  Color     // Fg and Bg are the default colours, as RGB.
	Frame   Color     // Frame is the line around the window and the title bar's buttons.
	Sixteen [16]Color // Sixteen are the first colours of the palette, as RGB.
}

// DarkPalette and LightPalette are the colours of a quiet terminal.
var (
	DarkPalette = Palette16{
		Fg: RGB(0xd6, 0xda, 0xe4), Bg: RGB(0x14, 0x17, 0x1f), Frame: RGB(0x2e, 0x34, 0x43),
		Sixteen: [16]Color{
			RGB(0x1d, 0x21, 0x2b), RGB(0xe0, 0x6c, 0x75), RGB(0x8f, 0xc0, 0x7c), RGB(0xe0, 0xb3, 0x6a),
			RGB(0x6c, 0xa8, 0xe8), RGB(0xbd, 0x8c, 0xe0), RGB(0x5f, 0xb8, 0xc0), RGB(0xc6, 0xcb, 0xd6),
			RGB(0x5c, 0x63, 0x73), RGB(0xf0, 0x85, 0x8d), RGB(0xa8, 0xd4, 0x96), RGB(0xf0, 0xc9, 0x86),
			RGB(0x8b, 0xbe, 0xf5), RGB(0xd0, 0xa8, 0xf0), RGB(0x80, 0xd0, 0xd8), RGB(0xf2, 0xf4, 0xf8),
		},
	}
	LightPalette = Palette16{
		Fg: RGB(0x26, 0x2b, 0x36), Bg: RGB(0xfc, 0xfc, 0xfb), Frame: RGB(0xd3, 0xd6, 0xdc),
		Sixteen: [16]Color{
			RGB(0x26, 0x2b, 0x36), RGB(0xb8, 0x2c, 0x3a), RGB(0x2f, 0x7a, 0x35), RGB(0x93, 0x62, 0x0a),
			RGB(0x1f, 0x5f, 0xb8), RGB(0x85, 0x3a, 0xa8), RGB(0x12, 0x74, 0x7d), RGB(0xd8, 0xdb, 0xe0),
			RGB(0x75, 0x7c, 0x8a), RGB(0xcf, 0x40, 0x4d), RGB(0x3f, 0x8f, 0x45), RGB(0xad, 0x7a, 0x1c),
			RGB(0x30, 0x74, 0xd0), RGB(0x9b, 0x50, 0xbe), RGB(0x1f, 0x8a, 0x94), RGB(0xf4, 0xf5, 0xf7),
		},
	}
)

// Picture says how SVG draws. The zero Picture is dark, without a title.
type Picture struct {
	Colours *Palette16 // Colours are DarkPalette if nil.
	Title   string     // Title is shown in the window's bar, and is the picture's text for screen readers.
}

// Sizes of the picture, in its own units: about pixels.
const (
	cellW, cellH = 8.4, 18.0
	fontSize     = 14.0
	baseline     = 13.4
	margin       = 14.0
	bar          = 34.0
	radius       = 9.0
)

// SVG writes a picture of what is shown: a window on a grid of characters. It
// needs no fonts but a monospaced one, and refers to nothing outside.
func SVG(w io.Writer, t *Terminal, pic Picture) error {
	if pic.Colours == nil {
		pic.Colours = &DarkPalette
	}
	p := painter{w: bufio.NewWriter(w), g: t.on, c: pic.Colours}
	p.window(pic.Title)
	for y := range p.g.h {
		p.grounds(y)
	}
	for y := range p.g.h {
		p.texts(y)
	}
	fmt.Fprint(p.w, "</g></svg>\n")
	return p.w.Flush()
}

type painter struct {
	w *bufio.Writer
	g *grid
	c *Palette16
}

func (p *painter) window(title string) {
	w, h := float64(p.g.w)*cellW+2*margin, float64(p.g.h)*cellH+bar+margin
	fmt.Fprintf(p.w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%s" height="%s" role="img" aria-label="%s">`+"\n",
		num(w), num(h), num(w), num(h), html.EscapeString(title))
	fmt.Fprintf(p.w, "<style>text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace;font-size:%spx;white-space:pre}"+
		".b{font-weight:700}.i{font-style:italic}.f{opacity:.62}path{fill:none;stroke-width:1.2}g rect{shape-rendering:crispEdges}</style>\n", num(fontSize))
	fmt.Fprintf(p.w, `<rect x=".5" y=".5" width="%s" height="%s" rx="%s" fill="%s" stroke="%s"/>`+"\n",
		num(w-1), num(h-1), num(radius), p.c.Bg, p.c.Frame)
	for i := range 3 {
		fmt.Fprintf(p.w, `<circle cx="%d" cy="%s" r="5.5" fill="%s"/>`, 20+18*i, num(bar/2), p.c.Frame)
	}
	fmt.Fprintf(p.w, "\n"+`<text x="%s" y="%s" text-anchor="middle" fill="%s" style="font-size:12px">%s</text>`+"\n",
		num(w/2), num(bar/2+4), p.c.Sixteen[8], html.EscapeString(title))
	fmt.Fprintf(p.w, `<g transform="translate(%s %s)">`+"\n", num(margin), num(bar))
}

// grounds draws the backgrounds of a row.
func (p *painter) grounds(y int) {
	row := p.g.rows[y]
	for x := 0; x < p.g.w; {
		_, bg := p.colours(row[x].style)
		from := x
		for x++; x < p.g.w; x++ {
			if _, next := p.colours(row[x].style); next != bg {
				break
			}
		}
		if bg != p.c.Bg {
			fmt.Fprintf(p.w, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>`+"\n",
				num(float64(from)*cellW), num(float64(y)*cellH), num(float64(x-from)*cellW), num(cellH), bg)
		}
	}
}

// texts draws the characters of a row: runs of one style as text of a given
// length, so that the grid holds in any font, and lines as lines.
func (p *painter) texts(y int) {
	row := p.g.rows[y]
	for x := 0; x < p.g.w; {
		c := row[x]
		if c.rest || c.text == "" || c.text == " " && c.style.Underline == 0 && c.style.Attrs&Strike == 0 {
			x++
			continue
		}
		if d, ok := strokes[c.text]; ok {
			from := x
			for x++; x < p.g.w && c.text == "─" && row[x].text == "─" && row[x].style == c.style; x++ {
			}
			p.stroke(d, from, y, x-from, c.style)
			continue
		}
		if f, ok := blocks[c.text]; ok {
			p.block(f, x, y, c.style)
			x++
			continue
		}
		from := x
		var b strings.Builder
		for ; x < p.g.w && row[x].style == c.style && p.plain(row[x]); x++ {
			if row[x].text == "" && !row[x].rest {
				b.WriteByte(' ')
			}
			b.WriteString(row[x].text)
			if x+1 < p.g.w && row[x+1].rest || len(row[x].text) > 3 {
				// Wide and composed characters are by themselves: fonts
				// differ most in them.
				for x++; x < p.g.w && row[x].rest; x++ {
				}
				break
			}
		}
		p.text(strings.TrimRight(b.String(), " "), from, x, y, c.style)
	}
}

// plain reports whether a cell is drawn as text.
func (p *painter) plain(c cell) bool {
	_, line := strokes[c.text]
	_, block := blocks[c.text]
	return !line && !block
}

func (p *painter) text(text string, from, to, y int, s Style) {
	if s.Attrs&Conceal != 0 {
		return
	}
	fg, _ := p.colours(s)
	cells := 0
	if text != "" {
		cells = to - from - (p.trimmed(from, to, y))
	}
	x0, x1 := float64(from)*cellW, float64(to)*cellW
	if cells > 0 {
		fmt.Fprintf(p.w, `<text x="%s" y="%s" textLength="%s" lengthAdjust="spacingAndGlyphs" fill="%s"%s>%s</text>`+"\n",
			num(x0), num(float64(y)*cellH+baseline), num(float64(cells)*cellW), fg, class(s), html.EscapeString(text))
	}
	line := func(at float64) {
		fmt.Fprintf(p.w, `<path d="M%s %sH%s" stroke="%s"%s/>`+"\n", num(x0), num(float64(y)*cellH+at), num(x1), fg, class(s))
	}
	if s.Underline > 0 {
		line(baseline + 2.5)
	}
	if s.Attrs&Strike != 0 {
		line(cellH/2 + .5)
	}
}

// trimmed counts the blank cells at the end of a run.
func (p *painter) trimmed(from, to, y int) int {
	n := 0
	for x := to - 1; x >= from; x-- {
		if c := p.g.rows[y][x]; c.rest || c.text != "" && c.text != " " {
			break
		}
		n++
	}
	return n
}

func class(s Style) string {
	var names []string
	if s.Attrs&Bold != 0 {
		names = append(names, "b")
	}
	if s.Attrs&Italic != 0 {
		names = append(names, "i")
	}
	if s.Attrs&Faint != 0 {
		names = append(names, "f")
	}
	if names == nil {
		return ""
	}
	return ` class="` + strings.Join(names, " ") + `"`
}

// colours returns what a style comes to.
func (p *painter) colours(s Style) (fg, bg Color) {
	fg, bg = p.resolve(s.Fg, p.c.Fg), p.resolve(s.Bg, p.c.Bg)
	if s.Attrs&Reverse != 0 {
		fg, bg = bg, fg
	}
	return fg, bg
}

func (p *painter) resolve(c, ordinary Color) Color {
	i, ok := c.Index()
	switch {
	case c == 0:
		return ordinary
	case !ok:
		return c
	case i < 16:
		return p.c.Sixteen[i]
	case i < 232:
		level := func(n uint8) uint8 {
			if n == 0 {
				return 0
			}
			return 55 + 40*n
		}
		i -= 16
		return RGB(level(i/36), level(i/6%6), level(i%6))
	}
	grey := 8 + 10*(i-232)
	return RGB(grey, grey, grey)
}

// num writes a number with at most two decimals.
func num(f float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", f), "0"), ".")
}

// strokes are the characters that are drawn as lines, so that they meet whatever
// the font: which arms they have, and whether their corner is round.
var strokes = map[string]arms{
	"─": {left: true, right: true}, "│": {up: true, down: true},
	"╭": {right: true, down: true, round: true}, "╮": {left: true, down: true, round: true},
	"╰": {right: true, up: true, round: true}, "╯": {left: true, up: true, round: true},
	"┌": {right: true, down: true}, "┐": {left: true, down: true},
	"└": {right: true, up: true}, "┘": {left: true, up: true},
	"├": {up: true, down: true, right: true}, "┤": {up: true, down: true, left: true},
	"┬": {left: true, right: true, down: true}, "┴": {left: true, right: true, up: true},
	"┼": {left: true, right: true, up: true, down: true},
	"╴": {left: true}, "╶": {right: true}, "╵": {up: true}, "╷": {down: true},
}

type arms struct{ left, right, up, down, round bool }

// blocks are the characters that are drawn as rectangles, in parts of a cell.
var blocks = map[string]part{
	"█": {0, 0, 1, 1}, "▀": {0, 0, 1, .5}, "▐": {.5, 0, .5, 1},
	"▁": lower(1), "▂": lower(2), "▃": lower(3), "▄": lower(4), "▅": lower(5), "▆": lower(6), "▇": lower(7),
	"▏": leftmost(1), "▎": leftmost(2), "▍": leftmost(3), "▌": leftmost(4), "▋": leftmost(5), "▊": leftmost(6), "▉": leftmost(7),
}

type part struct{ x, y, w, h float64 }

func lower(eighths float64) part    { return part{0, 1 - eighths/8, 1, eighths / 8} }
func leftmost(eighths float64) part { return part{0, 0, eighths / 8, 1} }

// stroke draws a line character, n times side by side.
func (p *painter) stroke(a arms, x, y, n int, s Style) {
	fg, _ := p.colours(s)
	x0, y0 := float64(x)*cellW, float64(y)*cellH
	x1, y1 := x0+float64(n)*cellW, y0+cellH
	mx, my := x0+cellW/2, y0+cellH/2
	var d string
	switch {
	case a.round:
		fromX, toY, r := x1, y1, cellW/2
		if a.left {
			fromX, r = x0, -r
		}
		if a.up {
			toY = y0
		}
		turn := cellW / 2
		if a.up {
			turn = -turn
		}
		d = fmt.Sprintf("M%s %sH%sQ%s %s %s %sV%s", num(fromX), num(my), num(mx+r), num(mx), num(my), num(mx), num(my+turn), num(toY))
	default:
		if a.left || a.right {
			d += fmt.Sprintf("M%s %sH%s", num(choose(a.left, x0, mx)), num(my), num(choose(a.right, x1, mx)))
		}
		if a.up || a.down {
			d += fmt.Sprintf("M%s %sV%s", num(mx), num(choose(a.up, y0, my)), num(choose(a.down, y1, my)))
		}
	}
	fmt.Fprintf(p.w, `<path d="%s" stroke="%s"%s/>`+"\n", d, fg, class(s))
}

func choose(yes bool, a, b float64) float64 {
	if yes {
		return a
	}
	return b
}

// block draws a block character.
func (p *painter) block(f part, x, y int, s Style) {
	fg, _ := p.colours(s)
	fmt.Fprintf(p.w, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s"%s/>`+"\n",
		num((float64(x)+f.x)*cellW), num((float64(y)+f.y)*cellH), num(f.w*cellW), num(f.h*cellH), fg, class(s))
}
