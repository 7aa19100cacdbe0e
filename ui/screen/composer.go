package screen

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/cells"
	"wiretea/ui/composer/form"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
)

// A composer is the form of a message beside the traffic. It takes all keys while
// it is open and nothing lies over it.
type composer struct {
	tab    *tab
	gen    int // gen is the build that it waits for, or came of.
	recipe recipe
	facts  facts
	form   *form.Form // form is nil while it is made.
	begun  string     // begun is what stood in the form at first.
	lent   string     // lent is the id that was put into the bytes of malformed mode, empty = none.
	early  []tea.Msg  // early is what was typed before there was a form.
	cancel context.CancelFunc

	asTask bool   // asTask: it is run as a task.
	level  string // level is the level of log messages it asks for, empty = none.

	line    *composerLine // line is what is asked below the form, nil for nothing.
	sending bool          // sending: it goes out once the values have been checked.
	sent    bool          // sent: something went out, and it stays open.
	x, y    int           // x and y are where its inside was drawn last.
}

// Widths and heights in cells from which on the composer leaves room for traffic.
const (
	composerBeside = 110 // of the body, to stand at the right
	composerBelow  = 34  // of the body, to stand below
)

// place divides the body: the composer's place, and what is left for the panes;
// nothing where there is no room for both.
func (c *composer) place(body rect) (own, rest rect) {
	switch {
	case body.w >= composerBeside:
		w := clamp(body.w*55/100, 60, 110)
		return rect{body.x + body.w - w, body.y, w, body.h}, rect{body.x, body.y, body.w - w, body.h}
	case body.h >= composerBelow:
		h := body.h * 60 / 100
		return rect{body.x, body.y + body.h - h, body.w, h}, rect{body.x, body.y, body.w, body.h - h}
	}
	return body, rect{}
}

// placed are the panes that are shown, with their places.
func (s *Screen) placed(body rect) []placed {
	if s.composer == nil {
		return s.layout.place(body)
	}
	_, rest := s.composer.place(body)
	if rest.w == 0 || rest.h == 0 {
		return nil
	}
	l := s.layout
	l.page, l.zoom, l.Below, l.HideStderr, l.HideFindings = keys.Global, keys.Global, true, true, true
	return l.place(rest)
}

// drop closes the composer. What was filled in and not sent stays as the draft.
func (s *Screen) drop() {
	if c := s.composer; c != nil {
		c.cancel()
		if c.form != nil && c.form.Text() != c.begun {
			c.tab.draft = c
		}
	}
	s.composer = nil
}

// composes reports whether a key is the composer's, empty for what is pasted.
func (s *Screen) composes(key string) bool {
	return s.composer != nil && s.overlay == nil && s.prompt == nil && s.chord == "" && key != "ctrl+z"
}

// composerKey gives a key to the composer.
func (s *Screen) composerKey(msg tea.KeyPressMsg) tea.Cmd {
	c, name := s.composer, msg.String()
	if c.form == nil {
		switch name {
		case "esc", "ctrl+c":
			s.drop()
		default:
			c.early = append(c.early, msg)
		}
		return nil
	}
	if c.line != nil {
		return s.lineKey(msg)
	}
	if name == "ctrl+c" {
		s.drop()
		return nil
	}
	if a := composerAction(name); a != "" {
		return s.composerDo(a)
	}
	c.sending = c.sending && name == "ctrl+s"
	return c.form.Update(msg)
}

// composerAction is the action of a key in the composer, empty = the form's.
func composerAction(key string) keys.Action {
	for i := range keys.Table {
		if b := &keys.Table[i]; slices.Contains(b.Scopes, keys.Composer) && slices.Contains(b.Keys, key) {
			return b.Action
		}
	}
	return ""
}

// composerDo carries out an action of the composer's.
func (s *Screen) composerDo(a keys.Action) tea.Cmd {
	c := s.composer
	if why := c.disabled(a); why != "" {
		return s.say(session.Info, why)
	}
	switch a {
	case keys.Recall:
		return s.recall()
	case keys.EditOutside:
		return s.editOutside()
	case keys.RepeatIt:
		return s.askLine(repeatLine)
	case keys.SaveTemplate:
		return s.askLine(templateLine)
	case keys.AsTask:
		c.asTask = !c.asTask
	case keys.AskLogs:
		c.level = nextLevel(c.level)
	case keys.StayOpen:
		s.stays = !s.stays
	case keys.CopyLine:
		return c.copyLine()
	case keys.FormHelp:
		s.overlay = &composerHelp{}
	}
	return nil
}

// disabled says why an action of the composer's cannot be carried out, empty = it
// can.
func (c *composer) disabled(a keys.Action) string {
	switch a {
	case keys.AsTask:
		switch {
		case c.recipe.method != "tools/call":
			return "only a call of a tool can be run as a task"
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

// composerMsg takes the answers of the composer's commands, and gives all else to
// its form.
func (s *Screen) composerMsg(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case built:
		return s.takeForm(msg), true
	case offered:
		return s.takeOffers(msg), true
	case recalled:
		return s.takeHistory(msg), true
	case form.Send:
		if s.composerHas(msg.Form) {
			return s.sendForm(), true
		}
	case form.Leave:
		if s.composerHas(msg.Form) {
			s.drop()
			return nil, true
		}
	case form.Complete:
		if s.composerHas(msg.Form) {
			return s.candidates(msg), true
		}
	case editedOutside:
		return s.takeEdited(msg), true
	case repeatMoved:
		return s.takeRepeat(msg), true
	}
	return nil, false
}

func (s *Screen) composerHas(form *form.Form) bool {
	return s.composer != nil && s.composer.form == form
}

// formMsg gives a message to the forms there are: they know what is for them.
func (s *Screen) formMsg(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	if c := s.composer; c != nil && c.form != nil {
		cmds = append(cmds, c.form.Update(msg), s.sendChecked())
	}
	for _, t := range s.tabs {
		if d := t.draft; d != nil && d != s.composer && d.form != nil {
			cmds = append(cmds, d.form.Update(msg))
		}
	}
	return tea.Batch(cmds...)
}

// takeForm shows the form that was made.
func (s *Screen) takeForm(msg built) tea.Cmd {
	c := s.composer
	if c == nil || msg.gen != c.gen || c.form != nil {
		return nil
	}
	if msg.err != nil {
		s.drop()
		return s.say(session.Error, msg.err.Error())
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
			cmds = append(cmds, s.key(msg))
		case tea.PasteMsg:
			cmds = append(cmds, s.composerPaste(msg))
		}
	}
	return tea.Batch(cmds...)
}

// composerPaste puts what was pasted into the form, or into the line.
func (s *Screen) composerPaste(msg tea.PasteMsg) tea.Cmd {
	c := s.composer
	switch {
	case c.form == nil:
		c.early = append(c.early, msg)
	case c.line != nil:
		c.line.paste(msg.Content)
	default:
		return c.form.Update(msg)
	}
	return nil
}

// composerMouse gives the mouse to the form where it is over it, and the wheel to
// the panes beside it.
func (s *Screen) composerMouse(msg tea.MouseMsg) tea.Cmd {
	c, m, body := s.composer, msg.Mouse(), s.bodyRect()
	lines := 3
	if m.Button == tea.MouseWheelUp {
		lines = -3
	}
	own, _ := c.place(body)
	if !own.contains(m.X, m.Y) {
		if _, turned := msg.(tea.MouseWheelMsg); !turned {
			return nil
		}
		for _, p := range s.placed(body) {
			if p.contains(m.X, m.Y) {
				return tea.Batch(c.tab.panes[p.scope].Update(&c.tab.ctx, pane.Wheel{Lines: lines}), c.tab.sync())
			}
		}
		return nil
	}
	if c.form == nil || c.line != nil {
		return nil
	}
	switch msg.(type) {
	case tea.MouseWheelMsg:
		return c.form.Update(pane.Wheel{Lines: lines})
	case tea.MouseClickMsg:
		if m.Button == tea.MouseLeft {
			return c.form.Update(pane.Click{X: m.X - c.x, Y: m.Y - c.y})
		}
	}
	return nil
}

// composerBox draws the composer.
func (s *Screen) composerBox(own rect) []string {
	c, th := s.composer, s.theme
	w, h := own.w-2, own.h-2
	if w < 1 || h < 1 {
		return cells.Lines(nil, own.w, own.h)
	}
	focus := s.overlay == nil && s.prompt == nil
	var top, bottom []string
	if c.recipe.note != "" {
		top = append(top, cells.Fit(th.Warning.Paint(" ⚠ "+oneLine(c.recipe.note)), w))
	}
	switch {
	case c.form == nil:
		return cells.Box(cells.Lines([]string{"", th.Dim.Paint("  … looking up what the server says of it; esc gives up")}, w, h), own.w, "compose", "", th.BorderFocus.Paint, th.Accent.Paint)
	case c.line != nil:
		bottom = append(bottom, c.line.view(s, w))
	default:
		if line := s.composerOptions(w); line != "" {
			bottom = append(bottom, line)
		}
	}
	if h < 8 {
		top, bottom = nil, bottom[:min(len(bottom), max(0, h-3))]
	}
	c.x, c.y = own.x+1, own.y+1+len(top)
	lines := append(top, c.form.View(th, w, h-len(top)-len(bottom), focus && c.line == nil)...)
	right := s.composerSent(own)
	switch {
	case right != "":
	case c.recipe.of > 0 && c.recipe.stay:
		right = th.Dim.Paint("copy of #" + count(int64(c.recipe.of)))
	case c.recipe.of > 0:
		right = th.Dim.Paint("from #" + count(int64(c.recipe.of)))
	}
	return cells.Box(cells.Lines(append(lines, bottom...), w, h), own.w, "compose", right, th.BorderFocus.Paint, th.Accent.Paint)
}

// composerOptions is the line of what the request is sent with, empty = nothing
// can be chosen.
func (s *Screen) composerOptions(w int) string {
	c, th := s.composer, s.theme
	var parts []string
	add := func(a keys.Action, word, value string, on bool) {
		style := th.Dim
		if on {
			style = th.Strong
		}
		parts = append(parts, th.Accent.Paint(keys.Word(keys.Find(a, keys.Composer).Keys[0]))+th.Dim.Paint(" "+word+" ")+style.Paint(value))
	}
	if c.disabled(keys.AsTask) == "" {
		add(keys.AsTask, "task", onOff(c.asTask), c.asTask)
	}
	if c.disabled(keys.AskLogs) == "" {
		level := c.level
		if level == "" {
			level = "none"
		}
		add(keys.AskLogs, "logs", level, c.level != "")
	}
	then := "closes"
	if s.stays || c.recipe.stay {
		then = "stays"
	}
	add(keys.StayOpen, "after sending", then, then == "stays")
	return cells.Fit(" "+strings.Join(parts, th.Dim.Paint(" · ")), w)
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// composerHints are the composer's keys for the footer, as far as there is room.
func (s *Screen) composerHints() string {
	th := s.theme
	var b strings.Builder
	last := keys.Find(keys.FormHelp, keys.Composer)
	more := "  " + th.Accent.Paint(keys.Word(last.Keys[0])) + th.Dim.Paint(" "+last.Hint)
	for i := range keys.Table {
		k := &keys.Table[i]
		if k.Hint == "" || k == last || !slices.Contains(k.Scopes, keys.Composer) || s.composer.form != nil && s.composer.disabled(k.Action) != "" {
			continue
		}
		part := "  " + th.Accent.Paint(keys.Word(k.Keys[0])) + th.Dim.Paint(" "+k.Hint)
		if cells.Width(b.String())+cells.Width(part)+cells.Width(more) > s.w {
			break
		}
		b.WriteString(part)
	}
	return cells.Fit(b.String()+more, s.w)
}
