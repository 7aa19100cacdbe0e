package screen

import (
	"fmt"
	"strings"

	"wiretea/ui/cells"
	"wiretea/ui/format"
)

// tabLineFrom is the height of the screen from which on the names of several sessions have
// a line of their own.
const tabLineFrom = 16

// tabNames are the names of the sessions as the line of tabs has them; nil where there is
// no such line.
func (s *Screen) tabNames() []string {
	if len(s.tabs) < 2 || s.h < tabLineFrom {
		return nil
	}
	names := make([]string, len(s.tabs))
	most := max(6, s.w/len(s.tabs)-5)
	for i, t := range s.tabs {
		name := format.Visible([]byte(t.title()), 0)
		names[i] = fmt.Sprintf(" %d %s ", i+1, strings.TrimRight(cells.Fit(name, min(most, cells.Width(name))), " "))
	}
	return names
}

// tabLine is the line of the sessions, in which the shown one is in brackets.
func (s *Screen) tabLine() []string {
	names := s.tabNames()
	if names == nil {
		return nil
	}
	var b strings.Builder
	b.WriteByte(' ')
	for i, name := range names {
		if i == s.at {
			b.WriteString(s.theme.Accent.Paint("[" + strings.TrimSpace(name) + "]"))
		} else {
			b.WriteString(s.theme.Dim.Paint(name))
		}
		b.WriteByte(' ')
	}
	return []string{cells.Fit(b.String(), s.w)}
}

// tabAt is the session whose name is in a cell of the screen, -1 for none.
func (s *Screen) tabAt(x, y int) int {
	if y != 1 {
		return -1
	}
	x = max(0, x-1)
	for i, name := range s.tabNames() {
		if x -= cells.Width(name) + 1; x < 0 {
			return i
		}
	}
	return -1
}
