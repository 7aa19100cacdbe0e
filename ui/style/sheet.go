package style

import (
	"strings"

	"wiretea/session/cells"
)

// A Sheet is text to be read from the top to the bottom: lines, and labels with texts
// beside them. Texts must be fit for the screen.
type Sheet struct {
	Theme *Theme
	W     int // W is the width of a line, in cells.
	Label int // Label is the width of the labels, the space behind them included.
	Lines []string
}

// indent is how far texts and labels are set in.
const indent = 2

// Add adds a line as it is.
func (s *Sheet) Add(line string) { s.Lines = append(s.Lines, cells.Fit(line, s.W)) }

// Text adds a text over as many lines as it takes.
func (s *Sheet) Text(look Style, text string) {
	for _, part := range cells.Wrap(text, max(1, s.W-indent)) {
		s.Add(cells.Spaces(indent) + look.Paint(part))
	}
}

// Field adds a label and, beside it, a text that breaks between words. Where there is
// no room beside the label the text is below it. An empty text adds nothing.
func (s *Sheet) Field(label string, look Style, text string) {
	for _, part := range cells.Wrap(text, s.room()) {
		s.Add(s.Lead(label) + look.Paint(part))
		label = ""
	}
}

// Exact is Field with every character of the text: lines break where they must, and
// go on behind a sign.
func (s *Sheet) Exact(label string, look Style, text string) {
	if text == "" {
		return
	}
	for i, part := range cells.Hardwrap(text, s.room()) {
		lead := s.Lead(label)
		if label = ""; i > 0 {
			lead = cells.Spaces(cells.Width(lead)-2) + s.Theme.Dim.Paint("↳ ")
		}
		s.Add(lead + look.Paint(part))
	}
}

// Lead returns what is before a text: its label, or blanks below it. Where there
// is no room for both the label is added as a line of its own.
func (s *Sheet) Lead(label string) string {
	if s.Columns() {
		return cells.Spaces(indent) + s.Theme.Dim.Paint(cells.Fit(label, s.Label))
	}
	if label != "" {
		s.Add(cells.Spaces(indent) + s.Theme.Dim.Paint(label))
	}
	return cells.Spaces(2 * indent)
}

// Columns reports whether there is room for texts beside their labels.
func (s *Sheet) Columns() bool { return s.W-indent-s.Label >= 12 }

// room is how many cells a text beside its label has.
func (s *Sheet) room() int {
	if s.Columns() {
		return s.W - indent - s.Label
	}
	return max(1, s.W-2*indent)
}

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
