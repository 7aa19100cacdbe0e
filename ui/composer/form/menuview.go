package form

import (
	"strconv"
	"strings"

	"wiretea/ui/cells"
)

// menu draws the menu below its field.
func (p *painting) menu(i, column int) {
	m, t := p.form.menu, p.theme
	h := max(1, min(menuHeight, p.h/2, len(m.found)))
	m.top = max(0, min(m.top, len(m.found)-h))
	if m.at >= 0 {
		m.top = max(m.at-h+1, min(m.top, m.at))
	}
	column = max(0, min(column-2, p.w-20))
	if m.typed != "" {
		p.add(cells.Spaces(column)+t.Accent.Paint("/ ")+t.Text.Paint(inline(m.typed, 40)), i, -1)
	}
	if len(m.found) == 0 {
		p.add(cells.Spaces(column)+t.Dim.Paint("  none of that name"), i, -1)
	}
	for k := m.top; k < min(len(m.found), m.top+h); k++ {
		item := m.items[m.found[k]]
		line := "  " + item.label
		switch {
		case m.of == nil:
		case m.of.checked(m.found[k]) != nil:
			line = "  [x] " + item.label
		default:
			line = "  [ ] " + item.label
		}
		if item.note != "" {
			line += "  " + item.note
		}
		style := t.Text
		if k == m.at {
			line, style = "▸"+line[1:], t.Text.With(t.Selected)
		}
		p.add(cells.Spaces(column)+style.Paint(cells.Fit(line, min(p.w-column, 60))), i, k)
	}
	note := m.note
	if left := len(m.found) - m.top - h; left > 0 {
		note = strings.TrimPrefix(note+", "+strconv.Itoa(left)+" below", ", ")
	}
	if note != "" {
		p.add(cells.Spaces(column)+t.Dim.Paint("  "+note), i, -1)
	}
}
