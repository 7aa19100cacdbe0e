package traffic

import (
	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
)

// Update takes the screen's messages, the mouse, and the results of the pane's
// own commands.
func (p *Pane) Update(c *pane.Context, msg tea.Msg) tea.Cmd {
	cmd := p.update(c, msg)
	if again := p.resort(c); again != nil {
		return tea.Batch(cmd, again)
	}
	return cmd
}

func (p *Pane) update(c *pane.Context, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case pane.MovedMsg:
		return p.moved(c)
	case pane.FilteredMsg:
		p.halt()
		p.scan.restart(msg.Filter)
		p.only, p.top, p.base = false, centre, session.NoRow
		p.folds.restart()
		return tea.Batch(p.moved(c), p.searchAnew(c))
	case pane.RestyledMsg:
		p.recolour(c)
		if c.Search.Text != p.search.text {
			return tea.Batch(p.searchAnew(c), p.load(c))
		}
		return p.load(c)
	case pane.ClickMsg:
		return p.click(c, msg)
	case pane.WheelMsg:
		return p.wheel(c, msg.Lines)
	case pane.Answer:
		return msg.For(p, c)
	}
	return nil
}

// moved takes a new snapshot. The first one decides where the cursor begins: at
// the end of a live session, at the beginning of one that is over.
func (p *Pane) moved(c *pane.Context) tea.Cmd {
	if !p.begun && c.Snap.Len() > 0 {
		p.begun, p.follow = true, c.Live
	}
	back := p.back(c)
	old := len(p.scan.rows)
	cmd := tea.Batch(back, p.extend(c))
	p.searchMore(p.scan.rows[old:])
	cmd = tea.Batch(cmd, p.extendFolds(c))
	p.settle(c)
	return tea.Batch(cmd, p.goOn(c))
}

// goOn has done what a change of the list asks for.
func (p *Pane) goOn(c *pane.Context) tea.Cmd {
	return tea.Batch(p.searchOn(c), p.load(c))
}

// click selects the row under the mouse; twice opens it.
func (p *Pane) click(c *pane.Context, m pane.ClickMsg) tea.Cmd {
	if m.Y -= p.table.Headed(); m.Y < 0 {
		if by, ok := p.table.Sorting(p.sort.Sorting, m.X); ok {
			return p.Sort(c, by)
		}
		return nil
	}
	if m.Y < 0 || m.Y >= len(p.lines) || p.lines[m.Y] < 0 {
		return nil
	}
	p.halt()
	cmd := p.moveTo(c, p.lines[m.Y])
	if fold, folds := p.FoldAt(c, &p.table, m.X); folds {
		return tea.Batch(cmd, fold)
	}
	if m.Double {
		return tea.Batch(cmd, pane.Tell(pane.FocusMsg{Pane: keys.Detail}))
	}
	return cmd
}

// wheel moves the window, and the cursor as far as it must to stay within.
func (p *Pane) wheel(c *pane.Context, lines int) tea.Cmd {
	h, n := max(1, p.h), len(p.shown())
	if n == 0 || p.follow && lines > 0 {
		return nil
	}
	p.halt()
	top := max(0, min(p.where(h)+lines, n-h))
	p.unfollow()
	p.top = top
	return p.moveTo(c, max(top, min(p.at, top+h-1)))
}
