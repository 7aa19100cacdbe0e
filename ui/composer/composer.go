package composer

import (
	"cmp"
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/mcp"
	"wiretea/session/text"
	"wiretea/ui/composer/form"
	"wiretea/ui/host"
	"wiretea/ui/keyhelp"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/requests"
)

// A Composer composes messages for the server of a tab. It takes all keys while it is open
// and nothing lies over it.
type Composer struct {
	tab      *host.Tab
	requests *requests.Requests
	history  string // history is the folder of what was composed for each server; empty = it is not kept.

	*message          // message is what is composed; nil = the composer is closed.
	draft    *message // draft is what was filled in and not sent; nil = nothing.
	asked    int      // asked numbers what was asked for.
	stays    bool     // stays: it stays open after sending.
}

// A message is what is being composed.
type message struct {
	gen    int // gen is the build that it waits for, or came of.
	recipe recipe
	facts  facts
	form   *form.Form // form is nil while it is made.
	begun  string     // begun is what was in the form at first.
	lent   string     // lent is the id that was put into the bytes of malformed mode, empty = none.
	early  []tea.Msg  // early is what was typed before there was a form.
	cancel context.CancelFunc

	asTask bool   // asTask: it is run as a task.
	level  string // level is the level of log messages it asks for, empty = none.

	line    *line // line is what is asked below the form, nil for nothing.
	sending bool  // sending: it goes out once the values have been checked.
	sent    bool  // sent: something went out, and it stays open.
	x, y    int   // x and y are where the form was drawn last.
}

// New returns the composer of a tab. history is the folder of what was composed for each
// server; empty = it is not kept.
func New(t *host.Tab, q *requests.Requests, history string) *Composer {
	return &Composer{tab: t, requests: q, history: history}
}

// IsOpen reports whether a message is being composed.
func (c *Composer) IsOpen() bool { return c.message != nil }

// close closes the composer. What was filled in and not sent stays as the draft.
func (c *Composer) close() {
	if c.message == nil {
		return
	}
	c.cancel()
	if c.form != nil && c.form.Text() != c.begun {
		c.draft = c.message
	}
	c.message = nil
}

// Key takes a key.
func (c *Composer) Key(msg tea.KeyPressMsg) tea.Cmd { return c.tab.Addressed(c, c.key(msg)) }

func (c *Composer) key(msg tea.KeyPressMsg) tea.Cmd {
	name := msg.String()
	switch {
	case c.line != nil:
		return c.lineKey(msg)
	case name == "ctrl+c", name == "esc" && c.form == nil:
		c.close()
		return nil
	case c.form == nil:
		c.early = append(c.early, msg)
		return nil
	}
	if a := c.actionOf(name); a != "" {
		return c.do(a)
	}
	c.sending = c.sending && name == "ctrl+s"
	return c.form.Update(msg)
}

// actionOf is the action of a key in the composer, empty = the form's.
func (c *Composer) actionOf(key string) keys.Action {
	for b := range c.tab.Ctx.Keys.All() {
		if slices.Contains(b.Scopes, keys.Composer) && slices.Contains(b.Keys, key) {
			return b.Action
		}
	}
	return ""
}

// do carries out an action of the composer's.
func (c *Composer) do(a keys.Action) tea.Cmd {
	if why := c.disabled(a); why != "" {
		return c.tab.Say(session.Info, why)
	}
	switch a {
	case keys.Recall:
		return c.Recall()
	case keys.EditOutside:
		return c.edit()
	case keys.RepeatIt:
		return c.askLine(repeatLine)
	case keys.SaveTemplate:
		return c.askLine(templateLine)
	case keys.AsTask:
		c.asTask = !c.asTask
	case keys.AskLogs:
		levels := append([]string{""}, mcp.LogLevels...)
		c.level = levels[(slices.Index(levels, c.level)+1)%len(levels)]
	case keys.StayOpen:
		c.stays = !c.stays
	case keys.CopyLine:
		return c.copyLine()
	case keys.FormHelp:
		c.tab.Open(c.help())
	}
	return nil
}

// disabled says why an action of the composer's cannot be carried out, empty = it
// can.
func (c *Composer) disabled(a keys.Action) string {
	switch a {
	case keys.AsTask:
		switch {
		case c.recipe.method != "tools/call":
			return "only a call of a tool can be run as a task"
		case !c.facts.ours:
			return "a task is followed only where wiretea itself is the client"
		case c.recipe.task == pane.NoTask && !c.asTask:
			return "neither the server nor the tool says that this can be a task"
		}
	case keys.AskLogs:
		if !c.facts.levels {
			return "only the modern era has a log level per request; :loglevel sets it for a legacy server"
		}
	case keys.RepeatIt:
		if !c.facts.ours {
			return "only requests to a server that wiretea started are repeated"
		}
		if c.form.Mode() == form.Malformed {
			return "only a request can be repeated"
		}
	case keys.CopyLine:
		if c.form.Mode() == form.Malformed {
			return "bytes have no command line"
		}
	}
	return ""
}

// Update implements host.Receiver: it takes the answers to the composer's commands, and
// gives all else to the forms, which know what is theirs.
func (c *Composer) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case builtMsg:
		return c.takeForm(msg)
	case offeredMsg:
		if b, open := c.tab.Overlay().(*offerBox); open && b.gen == msg.gen {
			b.offers, b.here = msg.offers, true
			b.choose()
		}
		return nil
	case historyMsg:
		return c.takeHistory(msg)
	case rememberedMsg:
		if b, open := c.tab.Overlay().(*historyBox); open {
			return b.load()
		}
		return nil
	case editedMsg:
		switch {
		case msg.err != nil:
			return c.tab.Say(session.Error, msg.err.Error())
		case !c.has(msg.form) || msg.same:
			return nil
		}
		return c.form.SetText(msg.text)
	case repeatedMsg:
		return c.takeRepeat(msg)
	case form.SendMsg:
		if c.has(msg.Form) {
			return c.sendForm()
		}
		return nil
	case form.LeaveMsg:
		if c.has(msg.Form) {
			c.close()
		}
		return nil
	case form.CompleteMsg:
		if c.has(msg.Form) {
			return c.candidates(msg)
		}
		return nil
	}
	var cmds []tea.Cmd
	if d := c.draft; d != nil && d != c.message && d.form != nil {
		cmds = append(cmds, d.form.Update(msg))
	}
	if c.message != nil && c.form != nil {
		cmds = append(cmds, c.form.Update(msg))
		if c.message != nil && c.sending && c.form.Checked() { // Sending has waited for the values to be checked.
			cmds = append(cmds, c.sendJudged())
		}
	}
	return tea.Batch(cmds...)
}

// has reports whether a form is the one that is open.
func (c *Composer) has(form *form.Form) bool { return c.message != nil && c.form == form }

// takeForm shows the form that was made.
func (c *Composer) takeForm(msg builtMsg) tea.Cmd {
	if c.message == nil || msg.gen != c.gen || c.form != nil {
		return nil
	}
	if msg.err != nil {
		c.close()
		return c.tab.Say(session.Error, msg.err.Error())
	}
	c.recipe, c.facts, c.form = msg.recipe, msg.facts, msg.form
	c.asTask = msg.task || msg.recipe.task == pane.MustTask
	c.begun = c.form.Text()
	c.form.OnWire(c.wire)
	cmds := []tea.Cmd{c.form.Init()}
	early := c.early
	c.early = nil
	for _, msg := range early {
		switch msg := msg.(type) {
		case tea.KeyPressMsg:
			cmds = append(cmds, c.tab.Press(msg))
		case tea.PasteMsg:
			cmds = append(cmds, c.Paste(msg))
		}
	}
	return tea.Batch(cmds...)
}

// Paste puts what was pasted into the form, or into the line.
func (c *Composer) Paste(msg tea.PasteMsg) tea.Cmd {
	switch {
	case c.form == nil:
		c.early = append(c.early, msg)
	case c.line != nil:
		c.line.propose(msg.Content)
		c.line.input.SetValue(c.line.input.Value() + strings.Join(strings.Fields(msg.Content), " "))
		c.line.input.CursorEnd()
	default:
		return c.tab.Addressed(c, c.form.Update(msg))
	}
	return nil
}

// Mouse takes a click or the wheel. X and Y of a click are cells from the upper left corner
// of the composer, border included.
func (c *Composer) Mouse(msg tea.Msg) tea.Cmd {
	if c.form == nil || c.line != nil {
		return nil
	}
	if click, is := msg.(pane.ClickMsg); is {
		msg = pane.ClickMsg{X: click.X - c.x, Y: click.Y - c.y}
	}
	return c.tab.Addressed(c, c.form.Update(msg))
}

// View draws the composer in a box of outer by height cells. focus: it has the keys;
// covers: nothing is seen beside it.
func (c *Composer) View(outer, height int, focus, covers bool) []string {
	th := c.tab.Ctx.Theme
	w, h := outer-2, height-2
	if w < 1 || h < 1 {
		return cells.Lines(nil, outer, height)
	}
	var top, bottom []string
	if c.recipe.note != "" {
		top = append(top, cells.Fit(th.Warning.Paint(" ⚠ "+text.OneLine(c.recipe.note)), w))
	}
	switch {
	case c.form == nil:
		return cells.Box(cells.Lines([]string{"", th.Dim.Paint("  … looking up what the server says of it; esc gives up")}, w, h), outer, "compose", "", th.BorderFocus.Paint, th.Accent.Paint)
	case c.line != nil:
		words := lineWords[c.line.kind]
		c.line.input.SetWidth(max(4, w-cells.Width(words.sign)-cells.Width(words.hint)-6))
		bottom = append(bottom, cells.Fit(" "+th.Accent.Paint(words.sign)+c.line.input.View()+th.Dim.Paint("  "+words.hint), w))
	default:
		if line := c.options(w); line != "" {
			bottom = append(bottom, line)
		}
	}
	if h < 8 {
		top, bottom = nil, bottom[:min(len(bottom), max(0, h-3))]
	}
	c.x, c.y = 1, 1+len(top)
	lines := append(top, c.form.View(th, w, h-len(top)-len(bottom), focus && c.line == nil)...)
	right := ""
	switch {
	case covers && c.sent && c.requests.Shown():
		// What has come of what was sent, as this hides the traffic.
		t := c.tab
		what, how := t.Pane(keys.Detail).Title(&t.Ctx)
		right = th.Dim.Paint(cells.Fit(what, min(cells.Width(what), outer/2))+" · ") + how
	case c.recipe.of > 0 && c.recipe.stay:
		right = th.Dim.Paint("copy of #" + text.Count(int64(c.recipe.of)))
	case c.recipe.of > 0:
		right = th.Dim.Paint("from #" + text.Count(int64(c.recipe.of)))
	}
	return cells.Box(cells.Lines(append(lines, bottom...), w, h), outer, "compose", right, th.BorderFocus.Paint, th.Accent.Paint)
}

// options is the line of what the request is sent with, empty = nothing
// can be chosen.
func (c *Composer) options(w int) string {
	th := c.tab.Ctx.Theme
	var parts []string
	add := func(a keys.Action, word, value string, on bool) {
		style := th.Dim
		if on {
			style = th.Strong
		}
		parts = append(parts, th.Accent.Paint(c.tab.Ctx.Keys.WordOf(a, keys.Composer))+th.Dim.Paint(" "+word+": ")+style.Paint(value))
	}
	if c.disabled(keys.AsTask) == "" {
		add(keys.AsTask, "task", map[bool]string{true: "on", false: "off"}[c.asTask], c.asTask)
	}
	if c.disabled(keys.AskLogs) == "" {
		add(keys.AskLogs, "logs", cmp.Or(c.level, "none"), c.level != "")
	}
	stay := c.stays || c.recipe.stay
	add(keys.StayOpen, "after sending", map[bool]string{true: "stay open", false: "close"}[stay], stay)
	return cells.Fit(" "+strings.Join(parts, th.Dim.Paint(" · ")), w)
}

// Hints are the keys for the footer, as far as there is room in w cells.
func (c *Composer) Hints(w int) string {
	th := c.tab.Ctx.Theme
	if c.line != nil {
		line := keyhelp.NewHints(th, w, "")
		line.Add("enter", lineWords[c.line.kind].enter)
		line.Add("esc", "back to the form")
		return line.String()
	}
	help := c.tab.Ctx.Keys.Find(keys.FormHelp, keys.Composer)
	line := keyhelp.NewHints(th, w, keys.Word(help.Keys[0]))
	for k := range c.tab.Ctx.Keys.All() {
		if k.Hint == "" || k == help || !slices.Contains(k.Scopes, keys.Composer) || c.form != nil && c.disabled(k.Action) != "" {
			continue
		}
		if !line.Add(keys.Word(k.Keys[0]), k.Hint) {
			break
		}
	}
	return line.String()
}
