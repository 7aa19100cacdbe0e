package merged

import (
	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/merge"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/style"
	"wiretea/ui/traffic"
)

// View draws h lines of w cells.
func (l *List) View(th *style.Theme, w, h int, focus bool) []string {
	if l.rows.order.Len() == 0 {
		l.w, l.h, l.table = w, h, traffic.Table{}
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
	l.w, l.h = w, h-len(lines)
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

// Title is what is in the border: what is shown, how many rows that are, and how the list
// moves, as the list of one session has it.
func (l *List) Title(th *style.Theme, filter string) (left, right string) {
	var parts []string
	if s := l.found().Words(); s != "" {
		parts = append(parts, th.Text.Paint(s))
	}
	rows, judged, scanned, backlog, paused := int64(0), 0, 0, 0, false
	for _, t := range l.tabs {
		rows += t.Traffic.All(&t.Ctx)
		done, all := t.Traffic.Scanned(&t.Ctx)
		judged, scanned = judged+done, scanned+all
		if t.Ctx.Paused {
			paused, backlog = true, backlog+t.Ctx.Backlog
		}
	}
	count := text.Count(int64(l.order.Len()))
	if filter != "" {
		count += " of " + text.Count(rows)
	}
	parts = append(parts, th.Dim.Paint(count+traffic.ScanWords(judged, scanned)))
	switch {
	case paused:
		parts = append(parts, th.Warning.Paint(traffic.PausedWords(backlog)))
	case l.sort.by.On():
		parts = append(parts, th.Accent.Paint(l.sort.by.TitleWhile(l.sort.percent, l.sort.work != nil)))
	case l.follow && l.live():
		parts = append(parts, th.OK.Paint("following"))
	}
	name := text.Plural(int64(len(l.tabs)), "session") + " on one clock"
	return traffic.FitTitle(th, l.w, name, text.Visible([]byte(filter), 0), parts)
}

// found is how far the search has come in all sessions; the hits are counted in the order of
// the clock.
func (l *List) found() (sum traffic.Found) {
	at, on := l.order.Place(l.row)
	for i, t := range l.tabs {
		f := t.Traffic.Found()
		sum.On, sum.Running = sum.On || f.On, sum.Running || f.Running
		sum.Hits, sum.Done, sum.Total = sum.Hits+f.Hits, sum.Done+f.Done, sum.Total+f.Total
		if sum.At += t.Traffic.HitsBefore(func(row uint32) bool {
			place, _ := l.order.Place(merge.Row{Session: i, Row: row})
			return place < at
		}); i == l.row.Session {
			on = on && f.At > 0
		}
	}
	if sum.At++; !on {
		sum.At = 0
	}
	return sum
}
