package detail

import (
	"strings"

	"wiretea/session"
	"wiretea/ui/cells"
	"wiretea/ui/style"
)

// A sheet is a list of lines of our own: the tabs that show no bytes.
type sheet struct {
	items []item
	tab   tabKind
	w     int
	dirty bool // dirty: what it says may have changed.
}

// An item is a line of a sheet, and where it leads.
type item struct {
	parts []part
	row   uint32 // row is a row to go to, or NoRow.
	rule  string // rule is a rule to explain, empty = none.
}

// A part is text in a style. It is safe to print.
type part struct {
	style style.Style
	text  string
}

// margin is the cells left of a line.
const margin = 1

// labelWidth is how wide the labels of facts are.
const labelWidth = 12

// line adds a line that leads nowhere.
func (s *sheet) line(parts ...part) *item {
	s.items = append(s.items, item{parts: parts, row: session.NoRow})
	return &s.items[len(s.items)-1]
}

// fact adds a line with a label.
func (s *sheet) fact(th *style.Theme, label string, parts ...part) *item {
	return s.line(append([]part{{th.Dim, cells.Fit(label, labelWidth)}}, parts...)...)
}

// heading adds an empty line and a heading.
func (s *sheet) heading(th *style.Theme, text string, more ...part) {
	if len(s.items) > 0 {
		s.line()
	}
	s.line(append([]part{{th.Strong, text}}, more...)...)
}

// text adds a text, broken into lines, behind an indentation.
func (s *sheet) text(style style.Style, indent int, text, rule string) {
	for _, l := range cells.Wrap(text, max(8, s.w-indent-margin)) {
		s.line(part{"", cells.Spaces(indent)}, part{style, strings.TrimRight(l, " ")}).rule = rule
	}
}
