package screen

import (
	"fmt"
	"strings"

	"wiretea/recorder/merge"
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
	names := make([]string, len(s.tabs), len(s.tabs)+1)
	most := max(6, s.w/(len(s.tabs)+1)-5)
	for i, t := range s.tabs {
		name := format.Visible([]byte(t.title()), 0)
		names[i] = fmt.Sprintf(" %s %s ", merge.Letter(i), strings.TrimRight(cells.Fit(name, min(most, cells.Width(name))), " "))
	}
	return append(names, " all ")
}

// tabLine is the line of the sessions, in which the shown one, or all, is in brackets.
func (s *Screen) tabLine() []string {
	names := s.tabNames()
	if names == nil {
		return nil
	}
	shown := s.at
	if s.all {
		shown = len(s.tabs)
	}
	var b strings.Builder
	b.WriteByte(' ')
	for i, name := range names {
		look := s.theme.Dim
		if i == shown {
			name, look = "["+strings.TrimSpace(name)+"]", s.theme.Accent
		}
		if letter, rest, ok := strings.Cut(name[1:], " "); ok && s.all && i < len(s.tabs) {
			b.WriteString(look.Paint(name[:1]) + s.theme.Session(i).Paint(letter) + look.Paint(" "+rest))
		} else {
			b.WriteString(look.Paint(name))
		}
		b.WriteByte(' ')
	}
	return []string{cells.Fit(b.String(), s.w)}
}

// tabAt is the session whose name is in a cell of the screen, the number after the last
// for all of them, -1 for none.
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
