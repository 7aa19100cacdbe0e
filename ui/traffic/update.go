package traffic

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/keys"
	"wiretea/ui/list"
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
		if by, ok := p.table.Sorting(p.sort.Sorting, m.X-p.left); ok {
			return p.Sort(c, by)
		}
		return nil
	}
	if m.Y < 0 || m.Y >= len(p.lines) || p.lines[m.Y] < 0 {
		return nil
	}
	p.halt()
	cmd := p.moveTo(c, p.lines[m.Y])
	if list := p.shown(); p.table.isSign(m.X-p.left) && p.at >= 0 && p.head(c) == list[p.at] {
		return tea.Batch(cmd, p.toggleFold(c))
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

// Do carries out an action.
func (p *Pane) Do(c *pane.Context, a keys.Action) (tea.Cmd, bool) {
	step, moves := list.Step(a, len(p.shown()), p.h)
	switch {
	case a == keys.Bottom && c.Live && !p.isSorted(): // The end of a live session is followed.
		p.Follow(c)
		return p.load(c), true
	case moves:
		p.halt()
		return p.moveTo(c, p.at+step), true
	case p.Disabled(c, a) != "":
		return nil, true
	}
	switch a {
	case keys.Enter:
		return pane.Tell(pane.FocusMsg{Pane: keys.Detail}), true
	case keys.Follow:
		p.Follow(c)
		return p.load(c), true
	case keys.SearchNext, keys.SearchPrev:
		p.halt()
		return p.hunt(c, direction(a == keys.SearchNext)), true
	case keys.FindNext, keys.FindPrev:
		p.halt()
		return p.nextFinding(c, direction(a == keys.FindNext)), true
	case keys.OpNext, keys.OpPrev:
		p.halt()
		return p.nextOfOperation(c, direction(a == keys.OpNext)), true
	case keys.Pair:
		cmd := p.Goto(c, pairOf(c.Snap, p.row))
		p.answers = p.folds.inLine(c.Snap, p.row) && isAnswer(c.Snap.Row(p.row))
		return cmd, true
	case keys.Exchanges:
		return p.togglePairs(c), true
	case keys.Mark:
		row := p.row
		_, marked := slices.BinarySearch(p.marks, row)
		if pair := c.Snap.Row(row).Pair; !marked && p.folds.inLine(c.Snap, row) { // The line shows the mark of either.
			if _, marked = slices.BinarySearch(p.marks, pair); marked {
				row = pair
			}
		}
		cmd := p.SetNote(c, row, !marked, p.comments[row])
		return tea.Batch(cmd, pane.Tell(pane.NotedMsg{Row: row, Mark: !marked, Text: p.comments[row]})), true
	case keys.MarkNext, keys.MarkPrev:
		p.halt()
		noted := p.noted // The rows that are marked or have a comment.
		is := func(_ *session.Snapshot, i uint32) bool {
			_, on := slices.BinarySearch(noted, i)
			return on
		}
		return p.seekRow(c, quest{dir: direction(a == keys.MarkNext), wrap: true, until: session.NoRow, none: "no marked row in the list", is: is}), true
	case keys.MarkOnly:
		return p.onlyMarks(c, !p.only), true
	case keys.FoldTrip:
		return p.toggleFold(c), true
	case keys.FoldTrips:
		return p.toggleFolds(c), true
	case keys.CopyValue:
		list := p.shown()
		if p.at < 0 || p.at >= len(list) {
			return pane.Notify("no row is selected"), true
		}
		return pane.Tell(pane.CopyMsg{What: "the line", Text: p.plain(c, p.row)}), true
	}
	return nil, false
}

func direction(forward bool) int {
	if forward {
		return 1
	}
	return -1
}

// Disabled says why an action cannot be carried out now. What other panes do as
// well, moving and copying, is never disabled.
func (p *Pane) Disabled(c *pane.Context, a keys.Action) string {
	switch a {
	case keys.Follow:
		if !c.Live {
			return "the session has ended; " + c.Keys.WordOf(keys.Bottom, keys.Traffic) + " goes to its last row"
		}
	case keys.SearchNext, keys.SearchPrev:
		if c.Search.Text == "" {
			return "nothing is searched for; " + c.Keys.WordOf(keys.Search, keys.Traffic) + " searches"
		}
	case keys.FindNext, keys.FindPrev:
		t := c.Snap.Totals()
		rowed := func(f session.Finding) bool { return f.Row != session.NoRow && !slices.Contains(c.Silenced, f.Rule) }
		switch f := t.Findings; {
		case t.Errors > 0:
		case f[session.Info]+f[session.Warning]+f[session.Error] == 0:
			return "no findings and no errors"
		case !slices.ContainsFunc(c.Snap.Findings(), rowed):
			return "no finding has a frame"
		}
	case keys.Pair:
		return p.noPair(c)
	case keys.OpNext, keys.OpPrev:
		if req, op := operation(c.Snap, p.Cursor()); req == session.NoRow && op == 0 {
			return "the row is not part of an operation"
		}
	case keys.Mark:
		if p.Cursor() == session.NoRow {
			return "no row is selected"
		}
	case keys.FoldTrip:
		return p.noFold(c)
	case keys.FoldTrips:
		if !c.HTTP() {
			return "only sessions over HTTP have round trips"
		}
	case keys.MarkNext, keys.MarkPrev, keys.MarkOnly:
		if len(p.noted) == 0 {
			return "no row is marked; " + c.Keys.WordOf(keys.Mark, keys.Traffic) + " marks one"
		}
	}
	return ""
}

// noPair says why there is no row to go to from this one.
func (p *Pane) noPair(c *pane.Context) string {
	r, pair := c.Snap.Row(p.Cursor()), pairOf(c.Snap, p.Cursor())
	if r.Kind == session.RowTrip && pair == session.NoRow {
		return "the response of an HTTP request is on the same line"
	}
	return pane.NoPair(p.Cursor(), r, pair)
}
