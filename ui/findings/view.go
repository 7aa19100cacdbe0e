package findings

import (
	"cmp"
	"fmt"
	"strings"

	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/check"
	"wiretea/session/mcp"
	"wiretea/session/text"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

const (
	causeFrom  = 5  // from this height on there is room for the diagnosis and what to change, in a line each
	causeTwo   = 8  // from this one on in two lines each
	causeMost  = 14 // and from this one on in three
	detailFrom = 6  // from this height on there is room for the detail
	mostDetail = 10 // lines of it at least where they are needed, half the height permitting
	wideFrom   = 64 // from this width on rules are in a column
	mostRule   = 32 // cells of that column
)

// Title implements pane.Pane.
func (p *Pane) Title(c *pane.Context) (left, right string) {
	counts, quiet := p.Counts(c)
	var parts []string
	for _, sev := range worstFirst[:3] {
		if n := counts[sev]; n > 0 {
			style, sign := c.Theme.Severity(sev)
			parts = append(parts, style.Paint(sign+" "+text.Count(n)))
		}
	}
	if n := c.Snap.Totals().Dropped; n > 0 {
		parts = append(parts, c.Theme.Dim.Paint("more "+text.Count(n)))
	}
	if quiet > 0 {
		parts = append(parts, c.Theme.Dim.Paint("silenced "+text.Count(int64(quiet))))
	}
	if p.before > 0 {
		parts = append(parts, c.Theme.Dim.Paint("earlier "+text.Count(p.before)))
	}
	left = "findings"
	if p.by != byCause {
		left += " " + groupingWords[p.by]
	}
	return left, strings.Join(parts, "  ")
}

// View implements pane.Pane.
func (p *Pane) View(c *pane.Context, w, h int, focus bool) []string {
	p.sort(c)
	lines := p.head(c, w, h)
	p.headH = len(lines)
	room := h - len(lines)
	if len(p.lines) == 0 {
		return cells.Lines(lines, w, h)
	}
	listH := room
	if room >= detailFrom {
		listH = max(room-mostDetail, room/2)
		listH = min(listH, len(p.lines))
	}
	from, to := p.list.Fit(len(p.lines), listH)
	for i := from; i < to; i++ {
		lines = append(lines, p.line(c, &p.lines[i], w, c.Theme.Over(i == p.list.At, focus)))
	}
	if l, ok := p.current(); ok && room >= detailFrom {
		lines = append(lines, p.detail(c, &l, w, p.headH > 0)...)
	}
	return cells.Lines(lines[:min(len(lines), h)], w, h)
}

// head draws the request that hangs and the diagnosis: what is most likely the cause,
// and what to change; else that nothing is wrong.
func (p *Pane) head(c *pane.Context, w, h int) []string {
	cause, sev := p.Cause(c)
	hangs := c.HangingWords()
	switch {
	case cause.Empty() && hangs == "" && p.shown == [4]int64{}:
		look, sign, words := p.Verdict(c)
		return []string{" " + look.Paint(sign) + " " + c.Theme.Dim.Paint(words)}
	case cause.Empty() && hangs == "" || h < causeFrom || w < 8:
		return nil
	}
	look, sign := c.Theme.Severity(sev)
	most := 3
	switch {
	case h < causeTwo:
		most = 1
	case h < causeMost:
		most = 2
	}
	var lines []string
	add := func(lead string, s style.Style, words string) {
		for i, part := range cells.Clip(text.Visible([]byte(words), 0), w-4, most) {
			if i > 0 {
				lead = "   "
			}
			lines = append(lines, s.Paint(lead)+s.Paint(cells.Fit(part, w-3)))
		}
	}
	if hangs != "" {
		add(" ◔ ", c.Theme.Warning, hangs)
	}
	if !cause.Empty() && (hangs == "" || h >= causeTwo) {
		add(" "+sign+" ", look, cause.Sentence)
	}
	if cause.Mend != "" {
		add(" → ", c.Theme.Strong, cause.Mend)
	}
	if h >= causeMost {
		lines = append(lines, c.Theme.Border.Paint(strings.Repeat("─", w)))
	}
	return lines
}

// Verdict says of a session without a root cause that nothing is wrong with the server's
// latest start, or that it has not said yet who it is.
func (p *Pane) Verdict(c *pane.Context) (look style.Style, sign, words string) {
	look, sign = c.Theme.Severity(session.NoSeverity)
	words, now := "nothing to report", c.Snap.LastConn()
	if p.since > 0 && p.before > 0 {
		if c.Live && !now.Exited && now.Version == mcp.NoVersion && now.VersionText == "" {
			look, sign, words = c.Theme.Dim, "◌", "no response yet"
		}
		words = fmt.Sprintf("connection %d: %s · %s in earlier ones", now.ID, words, text.Count(p.before))
	}
	return look, sign, words
}

// A pen writes a line of the list.
type pen struct {
	*style.Line
	dim *style.Style // dim takes the place of every style; nil = none.
}

func (q *pen) put(s style.Style, text string) {
	if q.dim != nil {
		s = *q.dim
	}
	q.Put(s, text)
}

// line draws a line of the list: sign, frame, rule, message and, at the right, how
// often.
func (p *Pane) line(c *pane.Context, l *line, w int, over style.Style) string {
	th, all := c.Theme, c.Snap.Findings()
	count := p.count(l, all)
	if w-cells.Width(count) < 12 {
		count = ""
	}
	room := w - cells.Width(count)
	q := &pen{Line: style.NewLine(room, over)}
	if l.quiet {
		q.dim = &th.Dim
	}
	q.put("", strings.Repeat("  ", int(min(l.depth, 8))))
	switch f := l.finding(all); {
	case l.kind == report:
		p.reportLine(c, q, l)
	case l.kind == more:
		q.put(th.Dim, "   … "+text.Count(int64(l.n))+" more")
	case f == nil:
		p.headLine(c, q, l)
	default:
		p.findingLine(c, q, l, f, room)
	}
	return q.String() + th.Dim.With(over).Paint(count)
}

// count is how often what a line stands for was reported.
func (p *Pane) count(l *line, all []session.Finding) string {
	times := 0
	switch l.kind {
	case single:
		if l.at < len(all) && all[l.at].Repeated() {
			times = all[l.at].Count
		}
	case many:
		for _, at := range l.members {
			if at < len(all) {
				times += all[at].Count
			}
		}
	case party, refuted, silenced, report, more:
	}
	words := ""
	if times > 1 {
		words = " ×" + text.Count(int64(times))
	}
	if hidden := l.follows; hidden > 0 && !l.open {
		words += " +" + text.Count(int64(hidden))
	}
	switch {
	case l.folds && l.open:
		words += " ▾"
	case l.folds:
		words += " ▸"
	}
	if words == "" {
		return ""
	}
	return words + " "
}

// headLine draws the head of what is one side's fault, or does not count.
func (p *Pane) headLine(c *pane.Context, q *pen, l *line) {
	th := c.Theme
	n := text.Count(int64(l.n))
	switch l.kind {
	case party:
		q.put(th.Accent, " "+faultWords[l.fault])
		q.put(th.Dim, "  "+n)
	case refuted:
		q.put(th.Dim, " ◌ "+n+" turned out not to be a problem")
	case silenced:
		q.put(th.Dim, " ◌ "+n+" silenced")
	case earlier:
		q.put(th.Dim, " ◌ "+n+" in earlier connections")
	case single, many, report, more:
	}
}

// reportLine draws a frame of a finding.
func (p *Pane) reportLine(c *pane.Context, q *pen, l *line) {
	r := c.Snap.Row(l.row)
	q.put(c.Theme.Dim, "   · ")
	if r.N > 0 {
		q.put(c.Theme.Text, fmt.Sprintf("#%d", r.N))
	}
	q.put(c.Theme.Dim, "  "+text.Seconds(r.T))
	if name := c.Snap.Name(r.Method); name != "" {
		q.put(c.Theme.Text, "  "+text.Visible([]byte(name+" "+c.Snap.Name(r.Target)), 0))
	}
}

// findingLine draws a finding, or many of one rule, in w cells.
func (p *Pane) findingLine(c *pane.Context, q *pen, l *line, f *session.Finding, w int) {
	th := c.Theme
	style, sign := th.Severity(f.Severity)
	q.put(style, " "+sign+" ")
	if p.numW > 0 {
		num := ""
		if l.kind == single {
			num = number(c.Snap, f)
		}
		q.put(th.Dim, cells.FitLeft(num, p.numW)+" ")
	}
	ruleW := min(p.ruleW, mostRule)
	if w < wideFrom || cells.Width(f.Rule) > ruleW {
		ruleW = cells.Width(f.Rule)
	}
	q.put(th.Strong, cells.Fit(f.Rule, ruleW)+"  ")
	if l.kind == many {
		title := text.Count(int64(l.n)) + " of them"
		if rule := check.Lookup(f.Rule); rule != nil {
			title = rule.Text().Title
		}
		q.put(th.Text, title)
		return
	}
	if p.says(c, l, f) {
		if f.Fault != session.Nobody {
			q.put(th.Dim, faultWords[f.Fault])
		}
		return
	}
	q.put(th.Text, text.Visible([]byte(f.Message), q.Room()+1))
}

// says reports whether the lines above the list say the message of a finding.
func (p *Pane) says(c *pane.Context, l *line, f *session.Finding) bool {
	cause, _ := p.Cause(c)
	return p.headH > 0 && l.kind == single && l.at == cause.Finding && strings.Contains(cause.Sentence, f.Message)
}

// detail draws the details of a line. With headed the diagnosis is above, and what it says
// is not said again.
func (p *Pane) detail(c *pane.Context, l *line, w int, headed bool) []string {
	th, f := c.Theme, l.finding(c.Snap.Findings())
	if f == nil {
		words := " ── " + text.Plural(int64(l.n), "finding") + " "
		if l.kind == silenced {
			words += "· i shows the rule again, I all "
		}
		return []string{th.Dim.Paint(cells.Fit(words, w))}
	}
	lines := []string{th.Dim.Paint(cells.Fit(" ── "+cmp.Or(p.facts(c, l, f), f.Rule)+" ", w))}
	if w < 6 {
		return lines
	}
	add := func(lead string, parts []string, s style.Style) {
		for _, part := range parts {
			lines = append(lines, th.Dim.Paint(lead)+s.Paint(part))
			lead = cells.Spaces(cells.Width(lead))
		}
	}
	const indent = 3
	room := max(1, w-indent-1)
	cause, _ := p.Cause(c)
	headed = headed && l.kind == single && l.at == cause.Finding
	if !p.says(c, l, f) {
		add("   ", cells.Wrap(text.Visible([]byte(f.Message), 0), room), th.Text)
	}
	if !headed || cause.Mend == "" {
		add(" → ", cells.Wrap(text.Visible([]byte(f.Hint), 0), room), th.Strong)
	}
	if len(f.Breaks) > 0 {
		add("   ", cells.Wrap("breaks "+text.Visible([]byte(strings.Join(f.Breaks, ", ")), 0), room), th.Text)
	}
	if f.Ref != "" {
		add("   ", cells.Hardwrap(text.Visible([]byte(f.Ref), 0), room), th.Dim)
	}
	return lines
}

// facts are who is at fault, and when and where it was seen.
func (p *Pane) facts(c *pane.Context, l *line, f *session.Finding) string {
	var parts []string
	if f.Fault != session.Nobody {
		parts = append(parts, faultWords[f.Fault])
	}
	if len(c.Snap.Conns()) > 1 && f.Conn > 0 {
		parts = append(parts, fmt.Sprintf("connection %d", f.Conn))
	}
	switch {
	case l.kind == many:
		parts = append(parts, text.Plural(int64(l.n), "finding")+", the first of them")
	case f.Repeated():
		times := text.Count(int64(f.Count)) + " times"
		if last := c.Snap.Row(f.Last).N; last > 0 && f.Last != f.Row {
			times += fmt.Sprintf(", the latest at #%d", last)
		}
		parts = append(parts, times)
	}
	switch {
	case l.follows == 1:
		parts = append(parts, "one follows from it")
	case l.follows > 0:
		parts = append(parts, text.Count(int64(l.follows))+" follow from it")
	}
	return strings.Join(parts, " · ")
}

var faultWords = [...]string{session.Nobody: "nobody's fault", session.Client: "the client's fault", session.Server: "the server's fault", session.Intermediary: "the fault of an intermediary"}
