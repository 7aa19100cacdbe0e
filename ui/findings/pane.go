package findings

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/check/cause"
	"wiretea/session/text"
	"wiretea/ui/keys"
	"wiretea/ui/list"
	"wiretea/ui/pane"
)

// A Pane is the list.
type Pane struct {
	list  list.List
	lines []line
	at    key // at is the line under the cursor; it stays when the list changes.
	by    grouping
	folds map[key]bool // folds are the lines that were folded or unfolded by hand.

	of     session.Totals // of and n are what the list was made for: the totals, and the number of findings.
	n      int
	since  int  // since is the first connection of which findings count, 0 = all do.
	stale  bool // stale: something else has changed that it depends on.
	shown  [4]int64
	hidden int
	before int64 // before counts the findings of earlier connections.
	numW   int   // numW and ruleW are the widths of the columns.
	ruleW  int
	headH  int // headH is how many lines are above the list.

	silenced map[string]bool
	quiet    []string       // quiet are the same, sorted.
	reports  map[int]frames // reports are the frames of findings that were unfolded.

	cause cause.Diagnosis
	pulse pulse // pulse is what it was drawn from.
	drawn bool  // drawn: it was.
	busy  bool  // busy: it is being drawn.
}

var _ pane.Pane = (*Pane)(nil)

// New returns a Pane that has seen nothing.
func New() *Pane {
	return &Pane{folds: map[key]bool{}, silenced: map[string]bool{}, reports: map[int]frames{}}
}

// current is the line under the cursor.
func (p *Pane) current() (line, bool) {
	if p.list.At < 0 || p.list.At >= len(p.lines) {
		return line{}, false
	}
	return p.lines[p.list.At], true
}

// selected returns the finding that the line under the cursor shows, nil where it
// shows none.
func (p *Pane) selected(c *pane.Context) *session.Finding {
	l, ok := p.current()
	if !ok {
		return nil
	}
	return l.finding(c.Snap.Findings())
}

// Do implements pane.Pane.
func (p *Pane) Do(c *pane.Context, a keys.Action) (tea.Cmd, bool) {
	p.sort(c)
	if p.list.Do(a, len(p.lines)) {
		p.hold()
		return nil, true
	}
	switch a {
	case keys.Enter:
		return p.enter(c), true
	case keys.Unfold:
		return p.unfold(c), true
	case keys.Fold:
		p.close(c)
		return nil, true
	case keys.UnfoldAll, keys.FoldAll:
		p.foldAll(c, a == keys.UnfoldAll)
		return nil, true
	case keys.GroupNext:
		p.by = (p.by + 1) % numGroupings
		p.stale = true
		p.sort(c)
		return pane.Notify("findings " + groupingWords[p.by]), true
	case keys.Silence:
		return p.silenceIt(c), true
	case keys.SilenceNone:
		clear(p.silenced)
		p.hush(c)
		return pane.Notify("all rules count again"), true
	case keys.ExplainIt:
		if f := p.selected(c); f != nil {
			return pane.Tell(pane.ExplainMsg{Rule: f.Rule}), true
		}
		return nil, true
	case keys.CopyValue:
		if f := p.selected(c); f != nil {
			return pane.Tell(pane.CopyMsg{What: "finding", Text: textOf(c.Snap, *f)}), true
		}
		return nil, true
	}
	return nil, false
}

// enter goes to the frame of a finding, or unfolds what has none of its own.
func (p *Pane) enter(c *pane.Context) tea.Cmd {
	l, _ := p.current()
	switch f := p.selected(c); {
	case l.kind == report:
		return pane.Tell(pane.GotoMsg{Row: l.row})
	case l.kind == single && f != nil && f.Row == session.NoRow:
		return pane.Notify(noFrame)
	case l.kind == single && f != nil:
		return pane.Tell(pane.GotoMsg{Row: f.Row})
	case l.folds:
		p.fold(l.key, !l.open)
		p.sort(c)
	}
	return nil
}

const (
	noFrame   = "this finding is about the process and has no frame"
	noFinding = "no finding selected"
)

// Disabled implements pane.Pane.
func (p *Pane) Disabled(c *pane.Context, a keys.Action) string {
	l, ok := p.current()
	f := p.selected(c)
	switch a {
	case keys.Enter:
		switch {
		case !ok:
			return noFinding
		case l.kind == single && f != nil && f.Row == session.NoRow:
			return noFrame
		}
	case keys.ExplainIt, keys.CopyValue:
		if f == nil {
			return noFinding
		}
	case keys.Silence:
		switch {
		case !ok:
			return noFinding
		case f == nil:
			return "select a finding to silence its rule"
		}
	case keys.SilenceNone:
		if len(p.silenced) == 0 {
			return "no rule is silenced"
		}
	}
	return ""
}

// Update implements pane.Pane.
func (p *Pane) Update(c *pane.Context, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case pane.MovedMsg:
		p.sort(c)
		return tea.Batch(p.diagnose(c), p.readReports(c))
	case pane.CursorMovedMsg:
		p.sort(c)
		p.meet(c)
	case pane.Answer:
		return msg.For(p, c)
	case pane.WheelMsg:
		p.list.Wheel(msg.Lines)
		p.hold()
	case pane.ClickMsg:
		i, ok := p.list.Line(msg.Y - p.headH)
		if !ok {
			return nil
		}
		p.list.At = i
		if p.hold(); msg.Double {
			return p.enter(c)
		}
	}
	return nil
}

// hold notes the line under the cursor.
func (p *Pane) hold() {
	if l, ok := p.current(); ok {
		p.at = l.key
	}
}

// meet moves the cursor to a finding of traffic's row: to the worst
// that began there, else to the worst of which the latest report is there. It
// stays where it does so already, and where it is in a list of frames.
func (p *Pane) meet(c *pane.Context) {
	row, all := c.Cursor, c.Snap.Findings()
	if row == session.NoRow || c.Snap.Row(row).Sev == session.NoSeverity {
		return
	}
	if l, ok := p.current(); ok && l.kind == report && l.row == row {
		return
	}
	began := func(f *session.Finding) bool { return f.Row == row }
	latest := func(f *session.Finding) bool { return f.Last == row }
	for _, stands := range []func(*session.Finding) bool{began, latest} {
		if f := p.selected(c); f != nil && stands(f) {
			return
		}
		for i := range p.lines {
			if p.lines[i].stands(all, stands) {
				p.list.At = i
				p.hold()
				return
			}
		}
		for _, l := range p.lines { // Of what does not count as well, unless it was silenced.
			stood := func(at int) bool { return at < len(all) && stands(&all[at]) }
			if l.folds && !l.open && l.kind >= refuted && l.kind != silenced && slices.ContainsFunc(l.members, stood) {
				p.fold(l.key, true)
				p.sort(c)
				p.meet(c)
				return
			}
		}
	}
}

// stands reports whether a finding of the line does; of a line that is unfolded,
// it is that of a line below it.
func (l *line) stands(all []session.Finding, stands func(*session.Finding) bool) bool {
	if l.kind == many && !l.open {
		return slices.ContainsFunc(l.members, func(at int) bool { return at < len(all) && stands(&all[at]) })
	}
	f := l.finding(all)
	return l.kind == single && f != nil && stands(f)
}

// number is the frame's number as it is shown, with the letter of its session among several.
func number(s *session.Snapshot, f *session.Finding) string {
	if f.N == 0 {
		return s.Letter(f.Conn)
	}
	return strings.TrimLeft(fmt.Sprintf("%s #%d", s.Letter(f.Conn), f.N), " ")
}

// text is a finding as one line of text.
func textOf(s *session.Snapshot, f session.Finding) string {
	var b strings.Builder
	b.WriteString(f.Severity.String())
	if n := number(s, &f); n != "" {
		b.WriteString(" " + n)
	}
	fmt.Fprintf(&b, " %s (%s): %s", f.Rule, f.Fault, f.Message)
	if f.Repeated() {
		fmt.Fprintf(&b, " (%s times)", text.Count(int64(f.Count)))
	}
	if f.Hint != "" {
		b.WriteString("; " + f.Hint)
	}
	if f.Ref != "" {
		b.WriteString("; " + f.Ref)
	}
	return text.Visible([]byte(b.String()), 0)
}
