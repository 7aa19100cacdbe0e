package screen

import (
	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/watch"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/ui/compare"
	"wiretea/ui/detail"
	"wiretea/ui/findings"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/process"
	"wiretea/ui/source"
	"wiretea/ui/stats"
	"wiretea/ui/stderr"
	"wiretea/ui/style"
	"wiretea/ui/tools"
	"wiretea/ui/traffic"
)

// A tab is one session on the screen with its panes.
type tab struct {
	source  source.Source
	ctx     pane.Context
	traffic *traffic.Pane
	tools   *tools.Pane
	finds   *findings.Pane
	panes   [keys.NumScopes]pane.Pane // panes by scope; the one of Global is nil.

	filter   string // filter is the text in force, filterOn whether it is on.
	filterOn bool

	past past     // past is where it stands in the time of a session that is over.
	book notebook // book is what was noted on it.

	inquiries map[*source.Question]*inquiryBox // inquiries are the server's questions; nil for one that is being read.

	draft   *composer // draft is what was filled in and not sent; nil = nothing.
	landing *landing  // landing is what was sent last; nil = nothing was.

	followed *client.Client // followed is the latest client whose server's lists are followed; nil = none was.

	trying bool // trying: a request is under way to a fresh server.
	trusts bool // trusts: the user has agreed to run the recorded command.

	agreed      bool         // agreed: the user has agreed to send into somebody else's session.
	outstanding int          // outstanding counts what was sent into it and not answered; also while the display is held.
	lived       bool         // lived: the session went on while it was watched.
	built       *watch.Built // built is the latest build; nil = none.
	unseen      bool         // unseen: a difference that came unasked was not looked at.
	ending      string       // ending says how it then ended, empty while it has not.
}

func newTab(source source.Source, th *style.Theme) *tab {
	t := &tab{source: source, traffic: traffic.New(), tools: tools.New(), finds: findings.New(), filterOn: true}
	t.panes = [keys.NumScopes]pane.Pane{
		keys.Traffic: t.traffic, keys.Detail: detail.New(), keys.Stderr: stderr.New(), keys.Findings: t.finds,
		keys.Process: process.New(), keys.Stats: stats.New(), keys.Tools: t.tools, keys.Compare: compare.New(),
	}
	t.ctx = pane.Context{Snap: source.Snapshot(), Log: source.Log(), Theme: th, Cursor: session.NoRow}
	t.look()
	return t
}

// look takes the session as it stands into the context.
func (t *tab) look() {
	if t.past.on {
		return // The session is over, and stands at a moment that was.
	}
	snap := t.source.Snapshot()
	t.ctx.Live, t.ctx.Now, t.ctx.Header = t.source.Live(), t.source.Now(), snap.Header()
	if a, ok := t.source.(source.Attached); ok {
		at := a.Attachment()
		t.ctx.Attached = &at
	}
	t.outstanding = 0
	if t.ctx.Live { // A tee that was killed stands in nobody's way, whatever its record ends with.
		t.outstanding = snap.Outstanding()
	}
	t.lived = t.lived || t.ctx.Live
	t.ending = t.ended(snap)
	if t.ctx.Paused {
		t.ctx.Backlog = snap.Len() - t.ctx.Snap.Len()
		return
	}
	t.ctx.Snap, t.ctx.Backlog = t.noted(snap), 0
}

// tell gives a message to all panes.
func (t *tab) tell(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range t.panes {
		if p == nil {
			continue
		}
		if cmd := p.Update(&t.ctx, msg); cmd != nil {
			cmds = append(cmds, cmd)
		}
	}
	return tea.Batch(append(cmds, t.sync())...)
}

// sync tells everybody when traffic has moved its cursor.
func (t *tab) sync() tea.Cmd {
	t.ctx.Silenced = t.finds.Silenced()
	row := t.traffic.Cursor()
	if row == t.ctx.Cursor {
		return nil
	}
	t.ctx.Cursor = row
	return t.tell(pane.CursorMoved{})
}

// do carries out an action of a pane: the focused one first, then traffic, then
// detail, which have actions that hold everywhere. It reports false when it is
// nobody's.
func (t *tab) do(focus keys.Scope, a keys.Action) (tea.Cmd, bool) {
	for _, s := range []keys.Scope{focus, keys.Traffic, keys.Detail} {
		if s == keys.Global {
			continue
		}
		if cmd, ok := t.panes[s].Do(&t.ctx, a); ok {
			return tea.Batch(cmd, t.sync()), true
		}
	}
	return nil, false
}

// disabled says why an action cannot be carried out now.
func (t *tab) disabled(focus keys.Scope, a keys.Action) string {
	for _, s := range []keys.Scope{focus, keys.Traffic, keys.Detail} {
		if s == keys.Global {
			continue
		}
		if why := t.panes[s].Disabled(&t.ctx, a); why != "" {
			return why
		}
	}
	return ""
}
