package findings

import (
	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/pane"
)

// unfold shows what is below the line under the cursor: what follows from a
// finding, then its frames.
func (p *Pane) unfold(c *pane.Context) tea.Cmd {
	l, ok := p.current()
	if !ok || !l.folds {
		return nil
	}
	reports := key{kind: report, at: l.at}
	if l.kind != single || l.follows > 0 && !p.isOpen(l.key, l.follows <= manyFollow) {
		p.fold(l.key, true)
		p.sort(c)
		return nil
	}
	if f := l.finding(c.Snap.Findings()); f != nil && f.Count > 1 && f.Row != session.NoRow && !p.isOpen(reports, false) {
		p.fold(reports, true)
		p.sort(c)
	}
	return p.readReports(c)
}

// close folds the line under the cursor, or goes to the one that it is below.
func (p *Pane) close(c *pane.Context) {
	l, ok := p.current()
	if !ok {
		return
	}
	reports := key{kind: report, at: l.at}
	switch {
	case l.kind == single && p.isOpen(reports, false):
		p.fold(reports, false)
	case l.open:
		p.fold(l.key, false)
	default:
		for i := p.list.At - 1; i >= 0; i-- {
			if p.lines[i].depth < l.depth {
				p.list.At = i
				break
			}
		}
		p.hold()
		return
	}
	p.sort(c)
}

// foldAll folds or unfolds every line that has others below it, but the frames of
// findings.
func (p *Pane) foldAll(c *pane.Context, open bool) {
	clear(p.folds)
	p.stale = true
	// Each round shows what is one level deeper.
	for range 4 {
		p.sort(c)
		for _, l := range p.lines {
			if l.folds && (l.kind != single || l.follows > 0) {
				p.fold(l.key, open)
			}
		}
	}
	p.sort(c)
}

func (p *Pane) fold(k key, open bool) {
	p.folds[k] = open
	p.stale = true
}

// A frames is where a finding is, as far as it was read.
type frames struct {
	rows  []uint32
	count int // count is how often it was reported then.
	busy  bool
}

// readReports has the frames read of findings that are unfolded.
func (p *Pane) readReports(c *pane.Context) tea.Cmd {
	var cmds []tea.Cmd
	all := c.Snap.Findings()
	for k, open := range p.folds {
		if !open || k.kind != report || k.at >= len(all) {
			continue
		}
		got := p.reports[k.at]
		if got.busy || got.count == all[k.at].Count || len(got.rows) >= mostReports {
			continue
		}
		got.busy = true
		p.reports[k.at] = got
		snap, at, count := c.Snap, k.at, all[k.at].Count
		cmds = append(cmds, pane.Work(p, func() pane.Then {
			rows := snap.FindingRows(at, mostReports)
			return func(c *pane.Context) tea.Cmd {
				p.reports[at] = frames{rows: rows, count: count}
				p.stale = true
				p.sort(c)
				return nil
			}
		}))
	}
	return tea.Batch(cmds...)
}
