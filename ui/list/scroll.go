package list

import "wiretea/ui/keys"

// A List is a cursor among lines, and the window through which they are seen.
// The zero List is at the first line.
type List struct {
	At  int // At is the line under the cursor.
	Top int // Top is the first line that is shown.

	n, h int // n and h are the number of lines and the height when Fit was called last.
}

// Fit is told, before each drawing, how many lines there are and how many are
// seen. It keeps the cursor among the lines and the window around the cursor,
// and returns the lines that are seen: from, and to which is not one of them.
func (l *List) Fit(n, h int) (from, to int) {
	l.n, l.h = n, h
	l.At = clamp(l.At, 0, n-1)
	l.Top = clamp(l.Top, l.At-h+1, l.At)
	l.Top = clamp(l.Top, 0, n-h)
	return l.Top, min(n, l.Top+h)
}

// Do carries out an action that moves, among n lines. It reports false for any
// other action.
func (l *List) Do(a keys.Action, n int) bool {
	step, ok := Step(a, n, l.h)
	if ok {
		l.At = clamp(l.At+step, 0, n-1)
	}
	return ok
}

// Wheel turns the window, and takes the cursor along at its edge.
func (l *List) Wheel(lines int) {
	l.Top = clamp(l.Top+lines, 0, l.n-l.h)
	l.At = clamp(l.At, l.Top, min(l.n, l.Top+l.h)-1)
}

// Line returns the line that is seen in row y of the window, false where there
// is none.
func (l *List) Line(y int) (int, bool) {
	i := l.Top + y
	return i, y >= 0 && y < l.h && i < l.n
}

// A Page is a window over lines without a cursor. The zero Page is at the
// top.
type Page struct {
	Top int // Top is the first line that is shown.

	n, h int
}

// Fit is List.Fit.
func (p *Page) Fit(n, h int) (from, to int) {
	p.n, p.h = n, h
	p.Top = clamp(p.Top, 0, n-h)
	return p.Top, min(n, p.Top+h)
}

// Do carries out an action that moves. It reports false for any other action.
func (p *Page) Do(a keys.Action) bool {
	step, ok := Step(a, p.n, p.h)
	if ok {
		p.Wheel(step)
	}
	return ok
}

// Wheel turns the window.
func (p *Page) Wheel(lines int) { p.Top = clamp(p.Top+lines, 0, p.n-p.h) }

// Step is by how many of n lines an action moves where h are seen, downwards
// positive. It reports false for an action that does not move.
func Step(a keys.Action, n, h int) (int, bool) {
	switch a {
	case keys.Up:
		return -1, true
	case keys.Down:
		return 1, true
	case keys.Top:
		return -n, true
	case keys.Bottom:
		return n, true
	case keys.HalfUp:
		return -max(1, h/2), true
	case keys.HalfDown:
		return max(1, h/2), true
	case keys.PageUp:
		return -max(1, h-1), true
	case keys.PageDown:
		return max(1, h-1), true
	}
	return 0, false
}

// Centre as the first line that is shown has the cursor in the middle of the window.
const Centre = -1

// Around returns the first of n lines that is shown where h are seen: top, moved as little as
// the cursor needs; where the cursor is far from it, or top is Centre, the cursor is in the
// middle.
func Around(top, at, n, h int) int {
	switch {
	case top == Centre || at < top-h || at >= top+2*h:
		top = at - h/2
	case at < top:
		top = at
	case at >= top+h:
		top = at - h + 1
	}
	return clamp(top, 0, n-h)
}

// clamp keeps v within low … high, and at low where there is nothing between
// them; nothing goes below 0.
func clamp(v, low, high int) int { return max(0, low, min(v, high)) }
