package process

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/peers"
	"wiretea/session"
	"wiretea/ui/cells"
	"wiretea/ui/format"
	"wiretea/ui/keys"
	"wiretea/ui/list"
	"wiretea/ui/pane"
	"wiretea/ui/rowscan"
	"wiretea/ui/source"
	"wiretea/ui/style"
)

// A Pane is the page.
type Pane struct {
	events *rowscan.Picker // events are rows of what happened to processes and streams.
	shakes *rowscan.Picker // shakes are rows that may hold a part of a handshake.
	facts  facts
	busy   bool // busy: a command that reads facts is under way.
	page   list.Page
	drawn  drawn
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
}

var _ pane.Pane = (*Pane)(nil)

// New returns a Pane that has seen nothing.
func New() *Pane {
	isEvent := func(_ *session.Snapshot, r session.Row) bool {
		return r.Kind == session.RowProc || r.Kind == session.RowIO
	}
	return &Pane{events: rowscan.New(isEvent), shakes: rowscan.New(peers.Wanted)}
}

// Do implements pane.Pane.
func (p *Pane) Do(c *pane.Context, a keys.Action) (tea.Cmd, bool) {
	if p.page.Do(a) {
		return nil, true
	}
	switch a {
	case keys.Enter:
		return nil, true
	case keys.CopyValue:
		if p.Disabled(c, a) != "" {
			return nil, true
		}
		words := make([]string, len(c.Header.Server()))
		for i, word := range c.Header.Server() {
			words[i] = format.ShellWord(word)
		}
		return pane.Tell(pane.CopyMsg{What: "command line", Text: strings.Join(words, " ")}), true
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
		p.page.Wheel(msg.Lines)
	case pane.Answer:
		return msg.For(p, c)
	}
	if _, moved := msg.(pane.MovedMsg); moved || p.events.Take(msg) || p.shakes.Take(msg) {
		return p.look(c)
	}
	return nil
}

// look goes on finding out.
func (p *Pane) look(c *pane.Context) tea.Cmd {
	return tea.Batch(p.events.Next(c.Snap), p.shakes.Next(c.Snap), p.learn(c))
}

// View implements pane.Pane.
func (p *Pane) View(c *pane.Context, w, h int, _ bool) []string {
	d := &p.drawn
	second := int64(0)
	if c.Live {
		second = c.Now / 1e9
	}
	who := source.Attachment{}
	if c.Attached != nil {
		who = *c.Attached
	}
	if d.lines == nil || d.who != who || d.snap != c.Snap || d.theme != c.Theme || d.w != w || d.second != second || d.version != p.facts.version {
		*d = drawn{snap: c.Snap, theme: c.Theme, w: w, second: second, version: p.facts.version, who: who}
		d.lines = p.sheet(c, w)
	}
	from, to := p.page.Fit(len(d.lines), h)
	return cells.Fill(append(make([]string, 0, h), d.lines[from:to]...), w, h)
}
