package form

import (
	"strconv"
	"strings"

	"wiretea/ui/cells"
)

// menu draws the menu below its field.
func (p *painting) menu(i, column int) {
	m, t := p.form.menu, p.theme
	from, to := m.Window(max(1, min(menuHeight, p.h/2)))
	column = max(0, min(column-2, p.w-20))
	if m.Search != "" {
		p.add(cells.Spaces(column)+t.Accent.Paint("/ ")+t.Text.Paint(inline(m.Search, 40)), i, -1)
	}
	if len(m.Found) == 0 {
		p.add(cells.Spaces(column)+t.Dim.Paint("  no match"), i, -1)
	}
	for k := from; k < to; k++ {
		item := m.items[m.Found[k]]
		line := "  " + item.label
		switch {
		case m.of == nil:
		case m.of.checked(m.Found[k]) != nil:
			line = "  [x] " + item.label
		default:
			line = "  [ ] " + item.label
		}
		if item.note != "" {
			line += "  " + item.note
		}
		style := t.Text
		if k == m.At {
			line, style = "▸"+line[1:], t.Text.With(t.Selected)
		}
		p.add(cells.Spaces(column)+style.Paint(cells.Fit(line, min(p.w-column, 60))), i, k)
	}
	note := m.note
	if left := len(m.Found) - to; left > 0 {
		note = strings.TrimPrefix(note+", "+strconv.Itoa(left)+" below", ", ")
	}
	if note != "" {
		p.add(cells.Spaces(column)+t.Dim.Paint("  "+note), i, -1)
	}
}
