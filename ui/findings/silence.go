package findings

import (
	"maps"
	"slices"

	"wiretea/ui/pane"

	tea "charm.land/bubbletea/v2"
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

// Counts returns the numbers of findings by severity of the server's latest start, without
// those of rules that were silenced, and how many these are.
func (p *Pane) Counts(c *pane.Context) (counts [4]int64, quiet int) {
	if len(p.silenced) == 0 && len(p.cause.Refuted) == 0 && c.Since() == 0 {
		return c.Snap.Totals().Findings, 0
	}
	p.sort(c)
	return p.shown, p.hidden
}

// silenceIt silences the rule under the cursor, or counts its findings again. The next
// line is under the cursor then.
func (p *Pane) silenceIt(c *pane.Context) tea.Cmd {
	f := p.selected(c)
	if f == nil {
		return nil
	}
	rule, quiet, at := f.Rule, !p.silenced[f.Rule], p.list.At
	p.Silence(c, rule, quiet)
	p.list.At = min(at, max(0, len(p.lines)-1))
	p.hold()
	if quiet {
		return pane.Notify(rule + " is silenced in this session; :unsilence shows it again")
	}
	return pane.Notify(rule + " counts again")
}
