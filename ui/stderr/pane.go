package stderr

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/ui/keys"
	"wiretea/ui/list"
	"wiretea/ui/pane"
)

// A Pane shows the lines of stderr.
type Pane struct {
	rows  *pane.RowPicker // rows are the lines.
	texts texts

	at     int  // at is the line under the cursor.
	top    int  // top is the first line that is shown,
	sub    int  // and sub how much of it is above the window, in wrapped pieces.
	follow bool // follow: the newest line is shown, unless pinned.
	pinned bool // pinned: span is shown until traffic goes elsewhere.
	wrap   bool
	span   span
	reveal bool // reveal: span is to be brought into the window.
	ready  int  // ready is up to which line texts were read where the newest ones are shown.

	w, h int // w and h are the size of the last View.
}

var _ pane.Pane = (*Pane)(nil)

// New returns a Pane that has seen nothing.
func New() *Pane {
	isLine := func(_ *session.Snapshot, r session.Row) bool {
		return r.Stream == session.Stderr && (r.Kind == session.RowStderr || r.Kind == session.RowGrowing)
	}
	return &Pane{rows: pane.NewRowPicker(isLine), texts: texts{kept: make(map[uint32]*shownLine)}, follow: true, h: 24, w: 80}
}

// end is how many lines there are to be shown. While lines come in, it is those
// of which the texts are there, so that nothing flickers.
func (p *Pane) end() int {
	n := len(p.rows.Rows())
	if p.following() && p.ready > 0 {
		return min(n, p.ready)
	}
	return n
}

// following reports whether the newest line is shown as it comes.
func (p *Pane) following() bool { return p.follow && !p.pinned }

// Do implements pane.Pane.
func (p *Pane) Do(c *pane.Context, a keys.Action) (tea.Cmd, bool) {
	n := len(p.rows.Rows())
	if step, ok := list.Step(a, n, p.h); ok {
		p.move(c, a, step)
		return p.load(c), true
	}
	switch a {
	case keys.Follow:
		p.pinned, p.follow = false, p.pinned || !p.follow
		return p.load(c), true
	case keys.Wrap:
		p.wrap, p.sub = !p.wrap, 0
		return nil, true
	case keys.Enter:
		return p.gotoFrame(c), true
	case keys.CopyValue:
		return p.copyLine(c), true
	}
	return nil, false
}

// Disabled implements pane.Pane.
func (p *Pane) Disabled(_ *pane.Context, a keys.Action) string {
	switch a {
	case keys.Enter, keys.CopyValue:
		if len(p.rows.Rows()) == 0 {
			return "there is nothing on stderr"
		}
	}
	return ""
}

// move moves the cursor. Where a wrapped line reaches beyond the window, a step
// goes through it first.
func (p *Pane) move(c *pane.Context, a keys.Action, step int) {
	n := len(p.rows.Rows())
	if p.following() {
		p.at = n - 1
	}
	p.follow, p.pinned = a == keys.Bottom, false
	switch {
	case a == keys.Down && p.at == p.top && p.height(c, p.at)-p.sub > p.h:
		p.sub++
		return
	case a == keys.Up && p.at == p.top && p.sub > 0:
		p.sub--
		return
	}
	p.at = max(0, min(p.at+step, n-1))
}

// gotoFrame goes to the latest frame before the line, since traffic need not
// show stderr. The line stays where it is.
func (p *Pane) gotoFrame(c *pane.Context) tea.Cmd {
	i, ok := p.current()
	if !ok {
		return nil
	}
	if p.following() {
		p.at = len(p.rows.Rows()) - 1
	}
	p.follow, p.pinned = false, false
	snap := c.Snap
	return func() tea.Msg {
		for i > 0 {
			i--
			if r := snap.Row(i); r.Stream != session.Stderr && r.Kind < session.RowStderr {
				return pane.GotoMsg{Row: i}
			}
		}
		return pane.SayMsg{Text: "nothing was sent before this line", Severity: session.Info}
	}
}

// mostCopied bounds a line that is copied, in bytes.
const mostCopied = 64 << 20

// copyLine copies the line under the cursor as it was written.
func (p *Pane) copyLine(c *pane.Context) tea.Cmd {
	i, ok := p.current()
	if !ok {
		return nil
	}
	log, row := c.Log, c.Snap.Row(i)
	return func() tea.Msg {
		text, err := recorder.ReadFrame(log, row, 0, mostCopied)
		if err != nil {
			return pane.Failed(err)
		}
		return pane.CopyMsg{What: "line", Text: string(text)}
	}
}

// current returns the row of the line under the cursor.
func (p *Pane) current() (uint32, bool) {
	rows := p.rows.Rows()
	at := p.at
	if p.following() {
		at = len(rows) - 1
	}
	if at < 0 || at >= len(rows) {
		return session.NoRow, false
	}
	return rows[at], true
}

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
