package screen

import (
	"wiretea/ui/cells"
	"wiretea/ui/list"
)

// A chooser is a list from which one line is chosen, drawn line by line.
type chooser struct{ list.Chooser }

// view draws the lines around the chosen one, h at most.
func (c *chooser) view(s *Screen, w, h int, line func(i, w int) string) []string {
	var lines []string
	from, to := c.Window(h)
	for at := from; at < to; at++ {
		text := cells.Fit(line(c.Found[at], w-1), w-1)
		if at == c.At {
			lines = append(lines, s.theme.Selected.Paint("▸"+text))
			continue
		}
		lines = append(lines, " "+text)
	}
	return lines
}

// head is the line in which the search stands.
func (c *chooser) head(s *Screen, w int, hint string) string {
	th := s.theme
	if c.Search == "" {
		return cells.Fit(th.Dim.Paint(" "+hint), w)
	}
	return cells.Fit(" "+th.Accent.Paint("/")+th.Strong.Paint(c.Search)+th.Accent.Paint("▏"), w)
}

// A searched overlay is one in which what is pasted is searched for.
type searched interface{ typed(text string) }
