package process

import (
	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/keys"
	"wiretea/ui/list"
	"wiretea/ui/pane"
	"wiretea/ui/source"
	"wiretea/ui/style"
)

// A Pane is the page.
type Pane struct {
	events    *pane.RowPicker // events are rows of what happened to processes and streams.
	shakes    *pane.RowPicker // shakes are rows that may hold a part of a handshake.
	ending    *pane.RowPicker // ending are rows that may be the end of a session over HTTP.
	ends      map[int]ending  // ends are how the sessions ended, by connection.
	facts     facts
	busy      bool // busy: a command that reads facts is under way.
	usage     usage
	measuring bool // measuring: a command that reads usage is under way.
	page      list.Page
	list      list.List // list is the place in the list of sessions over HTTP,
	above     int       // and above how many lines are above it.
	drawn     drawn
}

// drawn is the page as it was drawn last, and what it was drawn from.
type drawn struct {
	lines   []string
	snap    *session.Snapshot
	theme   *style.Theme
	w       int
	second  int64
	version int
	who     source.Attachment
	usage   usage
}

var _ pane.Pane = (*Pane)(nil)

// New returns a Pane that has seen nothing.
func New() *Pane {
	isEvent := func(_ *session.Snapshot, r session.Row) bool {
		return r.Kind == session.RowProc || r.Kind == session.RowIO
	}
	return &Pane{events: pane.NewRowPicker(isEvent), shakes: pane.NewRowPicker(recorder.HandshakeRow), ending: pane.NewRowPicker(mayEnd)}
}

// Do implements pane.Pane.
func (p *Pane) Do(c *pane.Context, a keys.Action) (tea.Cmd, bool) {
	if c.HTTP() && p.list.Do(a, len(c.Snap.Conns())) || !c.HTTP() && p.page.Do(a) {
		return nil, true
	}
	switch a {
	case keys.Enter:
		if c.HTTP() {
			return p.openSession(c), true
		}
		return nil, true
	case keys.CopyValue:
		if p.Disabled(c, a) != "" {
			return nil, true
		}
		what := "command line"
		if c.HTTP() {
			what = "URL"
		}
		return pane.Tell(pane.CopyMsg{What: what, Text: text.CommandLine(c.Header.Server())}), true
	}
	return nil, false
}

// Disabled implements pane.Pane.
func (p *Pane) Disabled(c *pane.Context, a keys.Action) string {
	if a == keys.CopyValue && (c.Header == nil || len(c.Header.Server()) == 0) {
		return "the server's command is not known"
	}
	return ""
}

// Update implements pane.Pane.
func (p *Pane) Update(c *pane.Context, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case pane.WheelMsg:
		if c.HTTP() {
			p.list.Wheel(msg.Lines)
		} else {
			p.page.Wheel(msg.Lines)
		}
	case pane.ClickMsg:
		if c.HTTP() {
			return p.clickSession(c, msg)
		}
	case pane.Answer:
		return msg.For(p, c)
	case pane.ShownMsg:
		return p.measure(c)
	}
	if _, moved := msg.(pane.MovedMsg); moved || p.events.Take(msg) || p.shakes.Take(msg) || p.ending.Take(msg) {
		return p.look(c)
	}
	return nil
}

// look goes on finding out.
func (p *Pane) look(c *pane.Context) tea.Cmd {
	p.ends = endings(c.Snap, p.ending.Rows())
	return tea.Batch(p.events.Next(c.Snap), p.shakes.Next(c.Snap), p.ending.Next(c.Snap), p.learn(c))
}

// View implements pane.Pane.
func (p *Pane) View(c *pane.Context, w, h int, focus bool) []string {
	if c.HTTP() {
		return p.viewSessions(c, w, h, focus)
	}
	d := &p.drawn
	second := int64(0)
	if c.Live {
		second = c.Now / 1e9
	}
	who := source.Attachment{}
	if c.Attached != nil {
		who = *c.Attached
	}
	if d.lines == nil || d.who != who || d.usage != p.usage || d.snap != c.Snap || d.theme != c.Theme || d.w != w || d.second != second || d.version != p.facts.version {
		*d = drawn{snap: c.Snap, theme: c.Theme, w: w, second: second, version: p.facts.version, who: who, usage: p.usage}
		d.lines = p.sheet(c, w)
	}
	from, to := p.page.Fit(len(d.lines), h)
	return cells.Fill(append(make([]string, 0, h), d.lines[from:to]...), w, h)
}
