package detail

import (
	"fmt"
	"strconv"
	"strings"

	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
)

// findings makes the sheet of the findings of the row and its pair.
func (p *Pane) findings(c *pane.Context, s *sheet) {
	th := c.Theme
	if p.marks.count() == 0 {
		style, sign := th.Severity(session.NoSeverity)
		s.line(part{style, sign + " "}, part{th.Dim, "no findings"})
		p.taken(c, s)
		return
	}
	for _, f := range p.marks.own {
		addFinding(c, s, &f)
	}
	if len(p.marks.other) == 0 {
		return
	}
	what := "the response"
	if p.sub.row == p.sub.resp {
		what = "the request"
	}
	s.heading(th, "at "+what, part{th.Dim, "  " + number(c.Snap.Row(p.marks.pair))})
	for _, f := range p.marks.other {
		addFinding(c, s, &f)
	}
}

// addFinding adds what is known of a finding.
func addFinding(c *pane.Context, s *sheet, f *session.Finding) {
	th := c.Theme
	style, sign := th.Severity(f.Severity)
	words := "  " + f.Severity.String()
	if f.Fault != session.Nobody {
		words += " · the " + f.Fault.String() + "'s"
	}
	if f.Repeated() {
		words += " · " + text.Count(int64(f.Count)) + "×"
	}
	if len(s.items) > 0 {
		s.line()
	}
	s.line(part{style, sign + " "}, part{th.Strong, f.Rule}, part{th.Dim, words}).rule = f.Rule
	s.text(th.Text, 2, text.Line(f.Message), f.Rule)
	if f.Hint != "" {
		s.text(th.OK, 2, "→ "+text.Line(f.Hint), f.Rule)
	}
	if len(f.Breaks) > 0 {
		s.text(th.Dim, 2, "breaks "+text.Line(strings.Join(f.Breaks, ", ")), f.Rule)
	}
	if f.Ref != "" {
		for _, l := range cells.Hardwrap(text.Line(f.Ref), max(8, s.w-2-margin)) { // An address is never broken at a hyphen.
			s.line(part{"", "  "}, part{th.Dim, l}).rule = f.Rule
		}
	}
}

// eventFacts makes the sheet of a record that is not a frame.
func (p *Pane) eventFacts(c *pane.Context, s *sheet) {
	th := c.Theme
	if p.lastWords != nil {
		p.exitFacts(c, s)
	}
	s.fact(th, "time", part{th.Text, when(c, p.sub.r.T)})
	if p.sub.r.N > 0 {
		s.fact(th, "record", part{th.Text, number(p.sub.r)})
	}
	s.fact(th, "connection", part{th.Text, strconv.Itoa(int(p.sub.r.Conn))})
	if p.event == nil {
		return
	}
	words := p.event.Words()
	if words == "" {
		s.line(part{th.Warning, "the record cannot be read"})
		return
	}
	if p.lastWords == nil {
		s.text(th.Strong, 0, words, "")
	}
	for i, kind := range p.event.Proc.FDs {
		s.fact(th, fmt.Sprintf("fd %d", i), part{th.Text, text.Line(kind)})
	}
}

// exitFacts says how the server ended, what to do about it, what it wrote last, and what was
// run.
func (p *Pane) exitFacts(c *pane.Context, s *sheet) {
	th := c.Theme
	s.text(th.Strong, 0, p.event.Words(), "")
	for _, f := range p.marks.own {
		if f.Hint != "" {
			s.text(th.OK, 0, "→ "+text.Line(f.Hint), f.Rule)
		}
	}
	for _, line := range p.lastWords {
		s.text(th.Text, 2, line, "")
	}
	if h := c.Header; h != nil && len(h.Server()) > 0 && !c.HTTP() {
		s.fact(th, "command", part{th.Text, text.Visible([]byte(text.CommandLine(h.Server())), 0)})
	}
	if c.Live && !c.Past && c.Attached == nil {
		s.text(th.Dim, 0, c.Keys.WordOf(keys.Restart, keys.Detail)+" starts it again", "")
	}
}

// marks are the findings of the row and of its pair.
type marks struct {
	row, pair uint32
	totals    session.Totals
	own       []session.Finding // own are the row's, other those of its pair.
	other     []session.Finding
}

// look gathers the findings again where something may have changed: that costs as
// much as there are reports in the session.
func (m *marks) look(s *session.Snapshot, sub *subject) {
	pair := session.NoRow
	switch sub.row {
	case sub.req:
		pair = sub.resp
	case sub.resp:
		pair = sub.req
	}
	if sub.r.Kind == session.RowTrip && sub.r.Pair < uint32(s.Len()) {
		pair = sub.r.Pair
	}
	t := s.Totals()
	same := t.Findings == m.totals.Findings && t.Repeats == m.totals.Repeats
	if same && sub.row == m.row && pair == m.pair {
		return
	}
	*m = marks{row: sub.row, pair: pair, totals: t}
	if sub.row != session.NoRow {
		m.own = s.RowFindings(sub.row)
	}
	if pair != session.NoRow {
		m.other = s.RowFindings(pair)
	}
}

func (m *marks) count() int { return len(m.own) + len(m.other) }
