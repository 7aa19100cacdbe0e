package merged

import (
	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/merge"
	"wiretea/ui/cells"
	"wiretea/ui/format"
	"wiretea/ui/style"
	"wiretea/ui/traffic"
)

// View draws h lines of w cells.
func (l *List) View(th *style.Theme, w, h int, focus bool) []string {
	if l.rows.order.Len() == 0 {
		l.h, l.table = h, traffic.Table{}
		words := "no row of any session matches the filter"
		if l.order == nil || l.busy {
			words = "putting the sessions in order…"
		}
		return cells.Lines([]string{"", "  " + th.Dim.Paint(words)}, w, h)
	}
	letters := cells.Width(merge.Letter(len(l.tabs) - 1))
	var widths traffic.Widths
	for _, t := range l.tabs {
		widths = widths.Or(traffic.WidthsOf(&t.Ctx))
	}
	l.left = min(w, letters+1)
	first := l.tabs[0] // All have the same columns.
	lines := first.Traffic.Lay(&first.Ctx, &l.table, l.sort.by, widths, w-l.left, h)
	for i, heads := range lines {
		lines[i] = cells.Spaces(l.left) + heads
	}
	l.h = h - len(lines)
	l.top = l.where()
	for i := l.top; i < min(l.rows.order.Len(), l.top+l.h); i++ {
		r := l.rows.row(i)
		t, over := l.tabs[r.Session], th.Over(i == l.at, focus)
		line := style.NewLine(l.left, over)
		line.Left(th.Session(r.Session), merge.Letter(r.Session), letters)
		lines = append(lines, line.String()+t.Traffic.Line(&t.Ctx, r.Row, &l.table, w-l.left, l.rows.since(i), over))
	}
	return cells.Lines(lines, w, h)
}

// Load reads the texts of the rows on the screen.
func (l *List) Load() tea.Cmd {
	rows := make([][]uint32, len(l.tabs))
	for i := max(0, l.top-l.h); i < min(l.rows.order.Len(), l.top+2*l.h); i++ {
		r := l.rows.row(i)
		rows[r.Session] = append(rows[r.Session], r.Row)
	}
	var cmds []tea.Cmd
	for i, list := range rows {
		if t := l.tabs[i]; len(list) > 0 {
			cmds = append(cmds, t.OfTraffic(t.Traffic.Load(&t.Ctx, list)))
		}
	}
	return tea.Batch(cmds...)
}

// Scroll is which rows were drawn.
func (l *List) Scroll() cells.Scroll {
	return cells.Scroll{Top: l.top, Seen: l.h, All: l.rows.order.Len()}
}

// Title is what is in the border: what is shown, and how many rows that are.
func (l *List) Title(th *style.Theme, filter string) (left, right string) {
	left = format.Plural(int64(len(l.tabs)), "session") + " on one clock"
	if filter != "" {
		left += " · " + format.Visible([]byte(filter), 60)
	}
	all := int64(0)
	for _, t := range l.tabs {
		all += t.Traffic.All(&t.Ctx)
	}
	right = format.Count(int64(l.order.Len()))
	if filter != "" {
		right += " of " + format.Count(all)
	}
	right = th.Dim.Paint(right)
	switch {
	case l.sort.by.On():
		right += th.Dim.Paint(" · ") + th.Accent.Paint(l.sort.by.Title())
	case l.follow && l.live():
		right += th.Dim.Paint(" · ") + th.OK.Paint("following")
	}
	return left, right
}
