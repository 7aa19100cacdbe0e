package findings

import (
	"fmt"
	"strings"

	"wiretea/session"
	"wiretea/ui/draw"
	"wiretea/ui/pane"
	"wiretea/ui/theme"
	"wiretea/ui/units"
)

const (
	detailFrom = 6  // from this height on there is room for the detail
	mostDetail = 10 // lines of it at least where they are needed, half the height permitting
	wideFrom   = 64 // from this width on rules stand in a column
	mostRule   = 32 // cells of that column
)

// Title implements pane.Pane.
func (p *Pane) Title(c *pane.Context) (left, right string) {
	totals := c.Snap.Totals()
	var parts []string
	for _, sev := range worstFirst[:3] {
		if n := totals.Findings[sev]; n > 0 {
			style, sign := c.Theme.Severity(sev)
			parts = append(parts, style.Paint(sign+" "+units.Count(n)))
		}
	}
	if totals.Dropped > 0 {
		parts = append(parts, c.Theme.Dim.Paint("more "+units.Count(totals.Dropped)))
	}
	return "findings", strings.Join(parts, "  ")
}

// View implements pane.Pane.
func (p *Pane) View(c *pane.Context, w, h int, focus bool) []string {
	p.sort(c)
	all := c.Snap.Findings()
	if len(p.order) == 0 {
		style, sign := c.Theme.Severity(session.NoSeverity)
		return draw.Lines([]string{" " + style.Paint(sign) + " " + c.Theme.Dim.Paint("nothing to report")}, w, h)
	}
	listH := h
	if h >= detailFrom {
		listH = max(h-mostDetail, h/2)
		listH = min(listH, len(p.order))
	}
	lines := make([]string, 0, h)
	from, to := p.list.Fit(len(p.order), listH)
	for i := from; i < to; i++ {
		lines = append(lines, p.line(c.Theme, &all[p.order[i]], w, cursor(c.Theme, i == p.list.At, focus)))
	}
	if f, ok := p.selected(c); ok && h >= detailFrom {
		lines = append(lines, detail(c, f, w)...)
	}
	return draw.Lines(lines[:min(len(lines), h)], w, h)
}

// cursor is what goes over the styles of a line.
func cursor(th *theme.Theme, selected, focus bool) theme.Style {
	switch {
	case selected && focus:
		return th.Selected
	case selected:
		return th.SelectedBlur
	}
	return ""
}

// line draws a finding: sign, frame, rule, message and, at the right, how often.
func (p *Pane) line(th *theme.Theme, f *session.Finding, w int, over theme.Style) string {
	style, sign := th.Severity(f.Severity)
	count := ""
	if f.Count > 1 {
		count = " ×" + units.Count(int64(f.Count)) + " "
	}
	room := w - draw.Width(count)
	if room < 12 {
		count, room = "", w
	}
	var b strings.Builder
	used := 0
	put := func(s theme.Style, text string) {
		text = cut(text, room-used)
		used += draw.Width(text)
		s.With(over).Write(&b, text)
	}
	put(style, " "+sign+" ")
	if p.numW > 0 {
		put(th.Dim, draw.FitLeft(number(*f), p.numW)+" ")
	}
	ruleW := min(p.ruleW, mostRule)
	if w < wideFrom || draw.Width(f.Rule) > ruleW {
		ruleW = draw.Width(f.Rule)
	}
	put(th.Strong, draw.Fit(f.Rule, ruleW)+"  ")
	put(th.Text, units.Visible([]byte(f.Message), max(1, room-used+1)))
	if used < room {
		over.Write(&b, draw.Spaces(room-used))
	}
	th.Dim.With(over).Write(&b, count)
	return b.String()
}

// cut cuts a text at n cells without padding it.
func cut(text string, n int) string {
	if draw.Width(text) <= n {
		return text
	}
	return draw.Fit(text, n)
}

// detail draws what is to be known of a finding besides its line.
func detail(c *pane.Context, f session.Finding, w int) []string {
	th := c.Theme
	lines := []string{th.Dim.Paint(draw.Fit(" ── "+facts(c, f)+" ", w))}
	if w < 6 {
		return lines
	}
	add := func(lead string, parts []string, s theme.Style) {
		for _, part := range parts {
			lines = append(lines, th.Dim.Paint(lead)+s.Paint(part))
			lead = draw.Spaces(draw.Width(lead))
		}
	}
	const indent = 3
	room := max(1, w-indent-1)
	add("   ", draw.Wrap(units.Visible([]byte(f.Message), 0), room), th.Text)
	add(" → ", draw.Wrap(units.Visible([]byte(f.Hint), 0), room), th.Strong)
	if len(f.Breaks) > 0 {
		add("   ", draw.Wrap("breaks "+units.Visible([]byte(strings.Join(f.Breaks, ", ")), 0), room), th.Text)
	}
	if f.Ref != "" {
		add("   ", draw.Hardwrap(units.Visible([]byte(f.Ref), 0), room), th.Dim)
	}
	return lines
}

// facts are who is at fault, and when and where it was seen.
func facts(c *pane.Context, f session.Finding) string {
	parts := []string{faultWords[f.Fault]}
	if len(c.Snap.Conns()) > 1 && f.Conn > 0 {
		parts = append(parts, fmt.Sprintf("connection %d", f.Conn))
	}
	if f.Count > 1 {
		times := units.Count(int64(f.Count)) + " times"
		if last := c.Snap.Row(f.Last).N; last > 0 && f.Last != f.Row {
			times += fmt.Sprintf(", the latest at #%d", last)
		}
		parts = append(parts, times)
	}
	return strings.Join(parts, " · ")
}

var faultWords = [...]string{session.Nobody: "nobody's fault", session.Client: "the client's fault", session.Server: "the server's fault"}
