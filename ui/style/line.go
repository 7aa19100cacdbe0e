package style

import (
	"strings"

	"wiretea/ui/cells"
)

// A Line is one line of the screen while it is drawn, from the left to the right:
// pieces of text, each in its style. What does not fit into its width is cut.
type Line struct {
	over Style
	w    int // w is its width, and left how much of that is left.
	left int
	b    strings.Builder
}

// NewLine returns an empty line of w cells. over goes over the styles of all pieces.
func NewLine(w int, over Style) *Line {
	l := &Line{}
	l.Reset(w, over)
	return l
}

// Reset makes the line an empty one.
func (l *Line) Reset(w int, over Style) {
	l.over, l.w, l.left = over, w, max(0, w)
	l.b.Reset()
	l.b.Grow(3 * l.left)
}

// Room returns how many cells are left.
func (l *Line) Room() int { return l.left }

// Put adds a text.
func (l *Line) Put(s Style, text string) { l.put(s, text, cells.Width(text)) }

// put adds a text of n cells.
func (l *Line) put(s Style, text string, n int) {
	if n > l.left {
		text, n = cells.Fit(text, l.left), l.left
	}
	s.With(l.over).Write(&l.b, text)
	l.left -= n
}

// Left adds a text in a column of w cells, cut or padded to that.
func (l *Line) Left(s Style, text string, w int) {
	n := cells.Width(text)
	if n > w {
		text, n = cells.Fit(text, w), max(0, w)
	}
	l.put(s, text, n)
	l.Space(w - n)
}

// Right is Left with the padding before the text.
func (l *Line) Right(s Style, text string, w int) {
	n := cells.Width(text)
	if n > w {
		text, n = cells.Fit(text, w), max(0, w)
	}
	l.Space(w - n)
	l.put(s, text, n)
}

// Space adds n blanks.
func (l *Line) Space(n int) {
	n = min(n, l.left)
	l.over.Write(&l.b, cells.Spaces(n))
	l.left -= max(0, n)
}

// String returns the line with blanks behind it, so that it is exactly as wide as it
// may be.
func (l *Line) String() string {
	l.Space(l.left)
	return l.b.String()
}
