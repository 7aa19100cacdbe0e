package findings

import (
	"maps"
	"slices"

	"wiretea/session"
	"wiretea/ui/pane"
)

// Silence leaves the findings of a rule out of the list and the counts, or takes
// them in again.
func (p *Pane) Silence(c *pane.Context, rule string, quiet bool) {
	if quiet {
		p.silenced[rule] = true
	} else {
		delete(p.silenced, rule)
	}
	p.hush(c)
}

// Silenced returns the rules that were silenced, sorted. The slice must not be
// changed.
func (p *Pane) Silenced() []string { return p.quiet }

// hush notes which rules were silenced.
func (p *Pane) hush(c *pane.Context) {
	p.quiet = slices.Sorted(maps.Keys(p.silenced))
	p.stale = true
	p.sort(c)
}

// Counts returns the numbers of findings by severity, without those of rules that
// were silenced, and how many these are.
func (p *Pane) Counts(c *pane.Context) (counts [4]int64, quiet int) {
	if len(p.silenced) == 0 {
		return c.Snap.Totals().Findings, 0
	}
	p.sort(c)
	return p.shown, p.hidden
}

// silence silences the rule under the cursor, or takes it in again; the rules of a
// whole side are left alone.
func (p *Pane) silence(c *pane.Context) (rule string, quiet bool) {
	l, ok := p.current()
	if !ok {
		return "", false
	}
	f := l.finding(c.Snap.Findings())
	if f == nil {
		return "", false
	}
	quiet = !p.silenced[f.Rule]
	at := p.list.At
	p.Silence(c, f.Rule, quiet)
	p.list.At = min(at, max(0, len(p.lines)-1)) // The next one is under the cursor then.
	p.hold()
	return f.Rule, quiet
}

// speak takes all rules in again.
func (p *Pane) speak(c *pane.Context) {
	clear(p.silenced)
	p.hush(c)
}

// whyNotSilence says why nothing can be silenced here, empty = it can.
func (p *Pane) whyNotSilence(all []session.Finding) string {
	l, ok := p.current()
	if !ok {
		return noFinding
	}
	if l.finding(all) == nil {
		return "choose a finding: its rule is silenced"
	}
	return ""
}
