package findings

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/scroll"
	"wiretea/ui/units"
)

// A Pane is the list.
type Pane struct {
	list  scroll.List
	order []int          // order holds the indexes of the findings, the worst first.
	of    session.Totals // of are the totals that order was made for.
	at    int            // at is the finding under the cursor, by its index; it stays when the order changes.
	numW  int            // numW and ruleW are the widths of the columns.
	ruleW int
}

var _ pane.Pane = (*Pane)(nil)

// New returns a Pane that has seen nothing.
func New() *Pane { return &Pane{} }

// selected returns the finding under the cursor.
func (p *Pane) selected(c *pane.Context) (session.Finding, bool) {
	all := c.Snap.Findings()
	if p.list.At >= len(p.order) || p.order[p.list.At] >= len(all) {
		return session.Finding{}, false
	}
	return all[p.order[p.list.At]], true
}

// Do implements pane.Pane.
func (p *Pane) Do(c *pane.Context, a keys.Action) (tea.Cmd, bool) {
	p.sort(c)
	if p.list.Do(a, len(p.order)) {
		p.hold()
		return nil, true
	}
	f, ok := p.selected(c)
	switch a {
	case keys.Enter:
		switch {
		case !ok:
			return nil, true
		case f.Row == session.NoRow:
			return pane.Tell(pane.Say{Text: noFrame, Severity: session.Info}), true
		}
		return pane.Tell(pane.Goto{Row: f.Row}), true
	case keys.ExplainIt:
		if !ok {
			return nil, true
		}
		return pane.Tell(pane.Explain{Rule: f.Rule}), true
	case keys.CopyValue:
		if !ok {
			return nil, true
		}
		return pane.Tell(pane.Copy{What: "finding", Text: text(f)}), true
	}
	return nil, false
}

const noFrame = "this finding is about the process, it stands at no frame"

// Disabled implements pane.Pane.
func (p *Pane) Disabled(c *pane.Context, a keys.Action) string {
	switch a {
	case keys.Enter, keys.ExplainIt, keys.CopyValue:
		f, ok := p.selected(c)
		if !ok {
			return "there is no finding"
		}
		if a == keys.Enter && f.Row == session.NoRow {
			return noFrame
		}
	}
	return ""
}

// Update implements pane.Pane.
func (p *Pane) Update(c *pane.Context, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case pane.Moved:
		p.sort(c)
	case pane.CursorMoved:
		p.sort(c)
		p.meet(c)
	case pane.Wheel:
		p.list.Wheel(msg.Lines)
		p.hold()
	case pane.Click:
		i, ok := p.list.Line(msg.Y)
		if !ok {
			return nil
		}
		p.list.At = i
		p.hold()
		if msg.Double {
			cmd, _ := p.Do(c, keys.Enter)
			return cmd
		}
	}
	return nil
}

// sort puts the findings into their order, where they have changed. That the
// cursor stands at the first line means the worst finding, whichever that is;
// elsewhere it stays with its finding.
func (p *Pane) sort(c *pane.Context) {
	all, totals := c.Snap.Findings(), c.Snap.Totals()
	if len(all) == len(p.order) && totals.Findings == p.of.Findings {
		return
	}
	p.of = totals
	p.order, p.numW, p.ruleW = p.order[:0], 0, 0
	at := 0
	for _, sev := range worstFirst {
		for i := range all {
			f := &all[i]
			if f.Severity != sev {
				continue
			}
			if i == p.at && p.list.At > 0 {
				at = len(p.order)
			}
			p.order = append(p.order, i)
			p.ruleW = max(p.ruleW, len(f.Rule))
			if f.N > 0 {
				p.numW = max(p.numW, len(number(*f)))
			}
		}
	}
	p.list.At = at
	p.hold()
}

var worstFirst = [...]session.Severity{session.Error, session.Warning, session.Info, session.NoSeverity}

// hold notes the finding under the cursor.
func (p *Pane) hold() {
	if p.list.At < len(p.order) {
		p.at = p.order[p.list.At]
	}
}

// meet moves the cursor to a finding that stands at traffic's row: to the worst
// that began there, else to the worst of which the latest report is there. It
// stays where it does so already.
func (p *Pane) meet(c *pane.Context) {
	row, all := c.Cursor, c.Snap.Findings()
	if row == session.NoRow || c.Snap.Row(row).Sev == session.NoSeverity {
		return
	}
	began := func(f *session.Finding) bool { return f.Row == row }
	latest := func(f *session.Finding) bool { return f.Last == row }
	for _, stands := range []func(*session.Finding) bool{began, latest} {
		if f, ok := p.selected(c); ok && stands(&f) {
			return
		}
		for i, at := range p.order {
			if stands(&all[at]) {
				p.list.At = i
				p.hold()
				return
			}
		}
	}
}

// number is the frame's number as it is shown.
func number(f session.Finding) string {
	if f.N == 0 {
		return ""
	}
	return fmt.Sprintf("#%d", f.N)
}

// text is a finding as one line of text.
func text(f session.Finding) string {
	var b strings.Builder
	b.WriteString(f.Severity.String())
	if n := number(f); n != "" {
		b.WriteString(" " + n)
	}
	fmt.Fprintf(&b, " %s (%s): %s", f.Rule, f.Fault, f.Message)
	if f.Count > 1 {
		fmt.Fprintf(&b, " (%s times)", units.Count(int64(f.Count)))
	}
	if f.Hint != "" {
		b.WriteString("; " + f.Hint)
	}
	if f.Ref != "" {
		b.WriteString("; " + f.Ref)
	}
	return units.Visible([]byte(b.String()), 0)
}
