package overlay

import (
	"wiretea/ui/cells"
	"wiretea/ui/list"
	"wiretea/ui/style"
)

// A Chooser is a list from which one line is chosen by typing, drawn line by line.
type Chooser struct{ list.Chooser }

// Draw draws the line of the search, or a hint, and the lines around the chosen one, h
// in all.
func (c *Chooser) Draw(th *style.Theme, w, h int, hint string, line func(i, w int) string) []string {
	lines := []string{cells.Fit(" "+th.Accent.Paint("/")+th.Strong.Paint(c.Search)+th.Accent.Paint("▏"), w), ""}
	if c.Search == "" {
		lines[0] = cells.Fit(th.Dim.Paint(" "+hint), w)
	}
	from, to := c.Window(h - 2)
	for at := from; at < to; at++ {
		text := cells.Fit(line(c.Found[at], w-1), w-1)
		if at == c.At {
			lines = append(lines, th.Selected.Paint("▸"+text))
			continue
		}
		lines = append(lines, " "+text)
	}
	return lines
}
