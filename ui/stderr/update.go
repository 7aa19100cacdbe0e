package stderr

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
)

// A span is the lines that were written between a request and its response.
type span struct {
	cursor   uint32 // cursor is the row of traffic that it was made for.
	n        uint32 // n is the request's number, 0 where traffic's cursor is not on an exchange.
	conn     uint16
	from, to int  // from and to, which is not one of them, are indexes of lines.
	open     bool // open: the answer may still come.
}

func (s span) has(line int) bool { return s.n > 0 && line >= s.from && line < s.to }
func (s span) empty() bool       { return s.n == 0 || s.from >= s.to }

// Update implements pane.Pane.
func (p *Pane) Update(c *pane.Context, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case pane.MovedMsg, pane.CursorMovedMsg:
		next := p.rows.Next(c.Snap) // It forgets what an earlier moment has not seen yet.
		p.stand(c)
		return tea.Batch(next, p.load(c))
	case pane.WheelMsg:
		n := len(p.rows.Rows())
		p.follow, p.pinned, p.sub = false, false, 0
		p.top = max(0, min(p.top+msg.Lines, n-p.h))
		p.at = max(p.top, min(p.at, p.top+p.h-1, n-1))
		return p.load(c)
	case pane.ClickMsg:
		return p.click(c, msg)
	case pane.Answer:
		return msg.For(p, c)
	}
	if p.rows.Take(msg) {
		p.stand(c)
		return tea.Batch(p.rows.Next(c.Snap), p.load(c))
	}
	return nil
}

// stand finds the lines of the exchange under traffic's cursor, and has them
// shown when they are other ones than before.
func (p *Pane) stand(c *pane.Context) {
	before := p.span
	p.span = p.spanAt(c)
	moved := p.span.cursor != before.cursor
	switch {
	case p.span.empty():
		if moved {
			p.pinned = false
		}
	case p.span.open && p.follow:
		p.pinned = false // Its lines are the newest.
	case !p.follow && p.span.has(p.at): // The user looks at its lines already.
	case moved || before.empty():
		p.at, p.pinned, p.reveal = p.span.from, true, true
	}
}

func (p *Pane) spanAt(c *pane.Context) span {
	s := span{cursor: c.Cursor}
	r := c.Snap.Row(c.Cursor)
	from, to := c.Cursor, r.Pair
	switch r.Kind {
	case session.RowRequest:
		s.open = to == session.NoRow && r.Flags&(session.FlagCancelled|session.FlagLost) == 0 && c.Live
	case session.RowResult, session.RowError:
		from, to = to, from
	default:
		return s
	}
	if from == session.NoRow || from > to {
		return s
	}
	req := c.Snap.Row(from)
	s.n, s.conn = req.N, req.Conn
	rows := p.rows.Rows()
	s.from, _ = slices.BinarySearch(rows, from)
	s.to, _ = slices.BinarySearch(rows, to)
	return s
}

func (p *Pane) click(c *pane.Context, msg pane.ClickMsg) tea.Cmd {
	line, ok := p.lineAt(c, msg.Y)
	if !ok {
		return nil
	}
	p.at, p.follow, p.pinned = line, false, false
	if msg.Double {
		cmd, _ := p.Do(c, keys.Enter)
		return cmd
	}
	return p.load(c)
}
