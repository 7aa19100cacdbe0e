package requests

import (
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/mcp"
	"wiretea/ui/list"
	"wiretea/ui/pane"
	"wiretea/ui/source"
	"wiretea/ui/style"
)

// A levelBox is the menu of log levels.
type levelBox struct {
	of   *Requests
	list list.List
}

// noLevel is the row of the menu that asks for no log messages, which only the
// modern era has.
const noLevel = "none"

// Levels are the rows of the menu.
func (q *Requests) Levels() []string {
	if c := q.tab.Ctx.Snap.LastConn(); c != nil && c.Era == mcp.Modern {
		return append(slices.Clone(mcp.LogLevels), noLevel)
	}
	return mcp.LogLevels
}

// level is the log level in force, as far as we asked for it.
func (q *Requests) level() string {
	if l, ok := q.tab.Source.(source.Logging); ok {
		return l.LogLevel()
	}
	return ""
}

// NoLogLevel says why the server cannot be asked for log messages, empty = it can.
func (q *Requests) NoLogLevel() string {
	if why := q.Disabled(); why != "" {
		return why
	}
	if _, ours := q.tab.Source.(source.Logging); ours {
		return ""
	}
	if c := q.tab.Ctx.Snap.LastConn(); c != nil && c.Era == mcp.Modern {
		return "in the modern era each request says which log messages it wants, and these are the client's"
	}
	return ""
}

// OpenLevels opens the menu.
func (q *Requests) OpenLevels() tea.Cmd {
	q.tab.Open(&levelBox{q, list.List{At: max(0, slices.Index(q.Levels(), q.level()))}})
	return nil
}

// LogLevel asks for log messages of a level and above; nothing opens the menu.
func (q *Requests) LogLevel(word string) tea.Cmd {
	if why := q.NoLogLevel(); why != "" {
		return q.tab.Say(session.Info, why)
	}
	if word == "" {
		return q.OpenLevels()
	}
	if !slices.Contains(q.Levels(), word) {
		return q.tab.Say(session.Error, fmt.Sprintf("unknown level %q; tab lists the levels", word))
	}
	t := q.tab
	l, ours := t.Source.(source.Logging)
	if !ours {
		return q.sendHere(fmt.Sprintf(`logging/setLevel {"level":%q}`, word))
	}
	level := word
	if word == noLevel {
		level = ""
	}
	text := "the server logs level " + word + " and above"
	switch c := t.Ctx.Snap.LastConn(); {
	case word == noLevel:
		text = "no log messages are asked for any more"
	case c != nil && c.Era == mcp.Modern:
		text = "each request from now on asks for log messages of level " + word + " and above"
	}
	return func() tea.Msg {
		if err := l.SetLogLevel(context.Background(), level); err != nil {
			return failure("", err)
		}
		return pane.SayMsg{Text: text, Severity: session.Info}
	}
}

// Title implements overlay.Box.
func (b *levelBox) Title() string { return "log messages of level" }

// Size implements overlay.Box.
func (b *levelBox) Size(_ *style.Theme, w, h int) (int, int) {
	return min(w, 44), min(h, len(b.of.Levels())+4)
}

// Key implements overlay.Box.
func (b *levelBox) Key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	levels := b.of.Levels()
	switch name := msg.String(); name {
	case "q":
		return nil, true
	case "enter":
		return b.of.LogLevel(levels[min(b.list.At, len(levels)-1)]), true
	default:
		b.list.Do(b.of.tab.Ctx.Keys.Moving(name), len(levels))
	}
	return nil, false
}

// View implements overlay.Box.
func (b *levelBox) View(th *style.Theme, w, h int) []string {
	levels := b.of.Levels()
	var lines []string
	from, to := b.list.Fit(len(levels), max(1, h-2))
	for i, level := range levels[from:to] {
		sign, style := th.LogLevel(level)
		mark := "  "
		if level == b.of.level() {
			mark = "● "
		}
		text := cells.Fit(" "+mark+sign+" "+level, w)
		if from+i == b.list.At {
			style = style.With(th.Selected)
		}
		lines = append(lines, style.Paint(text))
	}
	hint := " enter asks for it and all above"
	if c := b.of.tab.Ctx.Snap.LastConn(); c != nil && c.Era == mcp.Modern {
		hint = " enter asks for it with each request"
	}
	return append(lines, "", th.Dim.Paint(cells.Fit(hint, w)))
}
