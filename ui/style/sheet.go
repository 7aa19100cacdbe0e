package style

import "wiretea/ui/cells"

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
