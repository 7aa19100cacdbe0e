package host

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/filter"
	"wiretea/ui/compare"
	"wiretea/ui/detail"
	"wiretea/ui/findings"
	"wiretea/ui/held"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/process"
	"wiretea/ui/source"
	"wiretea/ui/stats"
	"wiretea/ui/stderr"
	"wiretea/ui/style"
	"wiretea/ui/tools"
	"wiretea/ui/traffic"
	"wiretea/ui/waterfall"
)

// A Tab is one session on the screen with its panes.
type Tab struct {
	Screen
	Source   source.Source
	Ctx      pane.Context
	Panes    []NamedPane
	Traffic  *traffic.Pane
	Tools    *tools.Pane
	Findings *findings.Pane
	Held     *held.Pane
	Compare  *compare.Pane

	Filter   string // Filter is the text of the filter, FilterOn whether it is on.
	FilterOn bool

	Outstanding int    // Outstanding counts what was sent into somebody else's session and not answered; also while the display is held.
	InPath      string // InPath is what decides on messages while the session lives, empty for nothing.
	Ended       string // Ended says how it then ended, empty while it has not.

	LeavePast func() tea.Cmd // LeavePast shows the session as it is, where it is shown as it was at an earlier moment.

	// Origins holds, for the row of a request that was sent from another row, that row.
	Origins map[uint32]uint32

	notes notebook
}

// A NamedPane is a pane under the name of its scope. The action of that name opens it as a
// page.
type NamedPane struct {
	Name keys.Scope
	pane.Pane
}

// Pane returns the pane of a name; nil where there is none.
func (t *Tab) Pane(name keys.Scope) pane.Pane {
	for _, p := range t.Panes {
		if p.Name == name {
			return p.Pane
		}
	}
	return nil
}

// New returns the tab of a session. A new pane is a line in its list of panes, and its key
// one in keys.Table.
func New(s Screen, src source.Source, th *style.Theme) *Tab {
	t := &Tab{Screen: s, Source: src, Traffic: traffic.New(), Tools: tools.New(), Findings: findings.New(), Held: held.New(), Compare: compare.New(), FilterOn: true, Origins: map[uint32]uint32{}}
	t.Panes = []NamedPane{
		{Name: keys.Traffic, Pane: t.Traffic},
		{Name: keys.Detail, Pane: detail.New()},
		{Name: keys.Stderr, Pane: stderr.New()},
		{Name: keys.Findings, Pane: t.Findings},
		{Name: keys.Held, Pane: t.Held},
		{Name: keys.Process, Pane: process.New()},
		{Name: keys.Stats, Pane: stats.New()},
		{Name: keys.Tools, Pane: t.Tools},
		{Name: keys.Compare, Pane: t.Compare},
		{Name: keys.Timeline, Pane: waterfall.New()},
	}
	t.Ctx = pane.Context{Snap: src.Snapshot(), Log: src.Log(), Theme: th, Cursor: session.NoRow}
	t.Look()
	return t
}

// inPath names what decides on messages, and whose file is broken.
func inPath(events []session.PathEvent) string {
	var parts []string
	for _, on := range events {
		switch at := slices.Index(parts, on.What); {
		case on.Event != session.PathBroken:
			parts = append(parts, on.What)
		case at >= 0:
			parts[at] += " (file broken)"
		default:
			parts = append(parts, on.What+" (file broken)")
		}
	}
	return strings.Join(parts, ", ")
}

// Look takes the session as it is into the context.
func (t *Tab) Look() {
	if t.Ctx.Past {
		return // The session is over, and shown as it was at an earlier moment.
	}
	snap := t.Source.Snapshot()
	t.Ctx.Live, t.Ctx.Now, t.Ctx.Header = t.Source.Live(), t.Source.Now(), snap.Header()
	if l, ok := t.Source.(source.Launching); ok {
		t.Ctx.Launcher = l.Launcher()
	}
	if a, ok := t.Source.(source.Attached); ok {
		at := a.Attachment()
		t.Ctx.Attached = &at
	}
	t.Outstanding, t.InPath = 0, ""
	if t.Ctx.Live { // A tee that was killed is in nobody's way, whatever its record ends with.
		t.Outstanding = snap.Outstanding()
		t.InPath = inPath(snap.InPath())
	}
	t.Ctx.Lived = t.Ctx.Lived || t.Ctx.Live
	t.Ended = t.ended(snap)
	if t.Ctx.Paused {
		t.Ctx.Backlog = snap.Len() - t.Ctx.Snap.Len()
		return
	}
	t.Ctx.Snap, t.Ctx.Backlog = t.Noted(snap), 0
}

// Reading reports whether the session is still being read from its file.
func (t *Tab) Reading() bool {
	r, ok := t.Source.(source.Reader)
	return ok && r.Reading()
}

// Tell gives a message to all panes.
func (t *Tab) Tell(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range t.Panes {
		if cmd := t.update(p.Pane, msg); cmd != nil {
			cmds = append(cmds, cmd)
		}
	}
	return tea.Batch(append(cmds, t.Sync())...)
}

// Sync tells everybody when traffic has moved its cursor.
func (t *Tab) Sync() tea.Cmd {
	t.Ctx.Silenced = t.Findings.Silenced()
	row := t.Traffic.Cursor()
	if row == t.Ctx.Cursor {
		return nil
	}
	t.Ctx.Cursor = row
	return t.Tell(pane.CursorMovedMsg{})
}

// Goto moves the cursor of traffic to a row.
func (t *Tab) Goto(row uint32) tea.Cmd {
	return tea.Batch(t.AddressedTo(keys.Traffic, t.Traffic.Goto(&t.Ctx, row)), t.Sync())
}

// ApplyFilter shows the rows that the filter in force lets through.
func (t *Tab) ApplyFilter() tea.Cmd {
	if t.Filter == "" || !t.FilterOn {
		return t.Tell(pane.FilteredMsg{})
	}
	f, err := filter.Parse(t.Filter)
	if err != nil {
		return t.Say(session.Error, fmt.Sprintf("filter: %v", err))
	}
	return t.Tell(pane.FilteredMsg{Filter: f})
}

// Do carries out an action of a pane: the focused one first, then traffic, then
// detail, which have actions that hold everywhere. It reports false for an action of none
// of them.
func (t *Tab) Do(focus keys.Scope, a keys.Action) (tea.Cmd, bool) {
	for _, s := range []keys.Scope{focus, keys.Traffic, keys.Detail} {
		if cmd, ok := t.DoIn(s, a); ok {
			return cmd, true
		}
	}
	return nil, false
}

// DoIn carries out an action of one pane.
func (t *Tab) DoIn(scope keys.Scope, a keys.Action) (tea.Cmd, bool) {
	cmd, ok := t.Pane(scope).Do(&t.Ctx, a)
	return tea.Batch(t.AddressedTo(scope, cmd), t.Sync()), ok
}

// Disabled says why an action cannot be carried out now.
func (t *Tab) Disabled(focus keys.Scope, a keys.Action) string {
	for _, s := range []keys.Scope{focus, keys.Traffic, keys.Detail} {
		if why := t.Pane(s).Disabled(&t.Ctx, a); why != "" {
			return why
		}
	}
	return ""
}
