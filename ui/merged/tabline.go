package merged

import (
	"fmt"
	"strings"

	"wiretea/recorder/merge"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/keys"
)

// tabLineFrom is the height of the screen from which on the names of several sessions have
// a line of their own.
const tabLineFrom = 16

// HasLine reports whether a screen of h lines has a line of the sessions.
func (s *Sessions) HasLine(h int) bool { return len(s.tabs) > 1 && h >= tabLineFrom }

// names are the names of the sessions as the line has them in w cells.
func (s *Sessions) names(w int) []string {
	names := make([]string, len(s.tabs), len(s.tabs)+1)
	most := max(6, w/(len(s.tabs)+1)-5)
	for i, t := range s.tabs {
		name := text.Visible([]byte(t.Name()), 0)
		names[i] = fmt.Sprintf(" %s %s ", merge.Letter(i), strings.TrimRight(cells.Fit(name, min(most, cells.Width(name))), " "))
	}
	return append(names, " all ")
}

// Line is the line of the sessions on a screen of w cells and h lines, in which the shown
// one, or all, is in brackets; nil where the screen has none.
func (s *Sessions) Line(w, h int) []string {
	if !s.HasLine(h) {
		return nil
	}
	th, shown := s.tab().Ctx.Theme, s.at
	if s.all {
		shown = len(s.tabs)
	}
	var b strings.Builder
	b.WriteByte(' ')
	for i, name := range s.names(w) {
		look := th.Dim
		if i == shown {
			name, look = "["+strings.TrimSpace(name)+"]", th.Accent
		}
		if letter, rest, ok := strings.Cut(name[1:], " "); ok && s.all && i < len(s.tabs) {
			b.WriteString(look.Paint(name[:1]) + th.Session(i).Paint(letter) + look.Paint(" "+rest))
		} else {
			b.WriteString(look.Paint(name))
		}
		b.WriteByte(' ')
	}
	line := b.String()
	if next := "   " + th.Accent.Paint(s.tab().Ctx.Keys.WordOf(keys.NextFile, keys.Global)) + th.Dim.Paint(" next"); cells.Width(line+next) <= w {
		line += next
	}
	return []string{cells.Fit(line, w)}
}

// LineAt is the session whose name is in a cell of the line of a screen of w cells, the number
// after the last for all of them, -1 for none.
func (s *Sessions) LineAt(x, w int) int {
	x = max(0, x-1)
	for i, name := range s.names(w) {
		if x -= cells.Width(name) + 1; x < 0 {
			return i
		}
	}
	return -1
}
