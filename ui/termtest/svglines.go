package termtest

import "fmt"

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
