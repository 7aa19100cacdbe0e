package traffic

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// What follows is for a list of the rows of several sessions, which draws each row as the
// pane of its session does.

// Rows returns the rows that are shown, ascending. The slice must not be changed, and
// never is.
func (p *Pane) Rows() []uint32 {
	list := p.list()
	return list[:len(list):len(list)]
}

// All returns how many rows there are without a filter.
func (p *Pane) All(c *pane.Context) int64 { return p.listed(c.Snap) }

// Line draws a row in the columns of a table, w cells wide. since is how long before it the row above
// it came, in nanoseconds. A row that is not shown any more is drawn by itself.
func (p *Pane) Line(c *pane.Context, row uint32, t *Table, w int, since int64, over style.Style) string {
	line := style.NewLine(w, over)
	if int(row) >= c.Snap.Len() {
		return line.String()
	}
	list := p.list()
	at, shown := slices.BinarySearch(list, row)
	if !shown { // The list has changed since its rows were asked for.
		list, at = []uint32{row}, 0
	}
	d := drawer{p: p, c: c, th: c.Theme, cols: t.cols, w: w, Line: line, since: &since}
	return d.line(list, at, over)
}

// Valued returns what rows that are shown have in the column of an order. What is returned can
// be called in a command.
func (p *Pane) Valued(c *pane.Context, by Sorting) func(row uint32) Value {
	w := p.sortWork(c, by)
	return w.value
}

// FoldAt folds what the selected row is the head of, or unfolds it, where a cell of its line is
// the sign of that, and reports whether it is.
func (p *Pane) FoldAt(c *pane.Context, t *Table, x int) (tea.Cmd, bool) {
	if list := p.shown(); !t.isSign(x) || p.at < 0 || p.head(c) != list[p.at] {
		return nil, false
	}
	return p.toggleFold(c), true
}

// Pairs reports whether an exchange is in one line.
func (p *Pane) Pairs() bool { return p.folds.pairs }

// Following reports whether the cursor stays on the newest row.
func (p *Pane) Following() bool { return p.follow }

// Searching reports whether a search is under way.
func (p *Pane) Searching() bool { return p.search.running() }

// Load reads the texts of rows that are shown.
func (p *Pane) Load(c *pane.Context, rows []uint32) tea.Cmd {
	if p.texts.busy || c.Log == nil {
		return nil
	}
	var todo []uint32
	for _, i := range rows[:min(len(rows), loadAtOnce)] {
		todo = p.addUnread(c.Snap, todo, i)
	}
	return p.loadRows(c, todo)
}

// Sought returns what an action looks for among the rows that are shown, nil for one that
// does not look for the next row of a kind. What is returned can be called in a command.
func (p *Pane) Sought(c *pane.Context, a keys.Action) func(row uint32) bool {
	snap := c.Snap
	switch a {
	case keys.FindNext, keys.FindPrev:
		is := isFound(c.Silenced)
		return func(i uint32) bool { return is(snap, i) }
	case keys.MarkNext, keys.MarkPrev:
		return among(p.noted)
	case keys.SearchNext, keys.SearchPrev:
		return among(slices.Clone(p.search.hits))
	}
	return nil
}

// among reports whether a row is one of a list, which is ascending.
func among(list []uint32) func(uint32) bool {
	return func(i uint32) bool {
		_, there := slices.BinarySearch(list, i)
		return there
	}
}

// isFound reports whether something was found at a row by a rule that was not silenced, or
// its request failed.
func isFound(silenced []string) func(s *session.Snapshot, i uint32) bool {
	if len(silenced) == 0 {
		return func(s *session.Snapshot, i uint32) bool {
			r := s.Row(i)
			return r.Sev > session.NoSeverity || r.Failed()
		}
	}
	var loud session.RowSet
	return func(s *session.Snapshot, i uint32) bool {
		if r := s.Row(i); r.Sev == session.NoSeverity || r.Failed() {
			return r.Failed()
		}
		if loud == nil {
			loud = s.RowsWhere(func(f *session.Finding) bool { return !slices.Contains(silenced, f.Rule) })
		}
		return loud.Has(i)
	}
}
