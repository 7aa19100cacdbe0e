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
	l.h = h
	l.top = l.where()
	if l.order.Len() == 0 {
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
	var lines []string
	for i := l.top; i < min(l.order.Len(), l.top+h); i++ {
		r := l.order.At(i)
		t, over := l.tabs[r.Session], th.Over(i == l.at, focus)
		since := int64(0)
		if i > 0 {
			since = l.order.Time(i) - l.order.Time(i-1)
		}
		line := style.NewLine(min(w, letters+1), over)
		line.Left(th.Session(r.Session), merge.Letter(r.Session), letters)
		lines = append(lines, line.String()+t.Traffic.Line(&t.Ctx, r.Row, max(0, w-letters-1), widths, since, over))
	}
	return cells.Lines(lines, w, h)
}

// Load reads the texts of the rows on the screen.
func (l *List) Load() tea.Cmd {
	rows := make([][]uint32, len(l.tabs))
	for i := max(0, l.top-l.h); i < min(l.order.Len(), l.top+2*l.h); i++ {
		r := l.order.At(i)
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
func (l *List) Scroll() cells.Scroll { return cells.Scroll{Top: l.top, Seen: l.h, All: l.order.Len()} }

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
	if l.follow && l.live() {
		right += th.Dim.Paint(" · ") + th.OK.Paint("following")
	}
	return left, right
}
