package stderr

import (
	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/ui/keys"
	"wiretea/ui/list"
	"wiretea/ui/pane"
	"wiretea/ui/rowscan"
)

// A Pane shows the lines of stderr.
type Pane struct {
	rows  *rowscan.Picker // rows are the lines.
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
	return &Pane{rows: rowscan.New(isLine), texts: texts{kept: make(map[uint32]*text)}, follow: true, h: 24, w: 80}
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
