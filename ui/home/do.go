package home

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/inventory"
	"wiretea/session"
	"wiretea/session/lazy"
	"wiretea/ui/keys"
	"wiretea/ui/list"
	"wiretea/ui/pane"
)

// ask gives an Ask to the caller.
func ask(a Ask) tea.Cmd { return func() tea.Msg { return a } }

// Key takes a key.
func (h *Home) Key(msg tea.KeyPressMsg) tea.Cmd {
	name := msg.String()
	action, known := h.keys.Lookup(name, keys.Home)
	switch {
	case action == keys.Quit && h.prompt == nil && h.launch == nil && h.help == nil:
		return ask(Quit{})
	case h.waits:
		// A key that was meant for the sheet must not do something else before.
		h.waits = action != keys.Back && action != keys.Escape
		return nil
	case h.asked != nil:
		return h.answer(name)
	case h.sheet != nil:
		return h.sheetKey(name, action)
	case h.help != nil:
		return h.helpKey(msg)
	case h.prompt != nil:
		return h.promptKey(msg)
	case h.launch != nil:
		return h.launchKey(msg)
	case !known:
		return h.elsewhere(name)
	}
	return h.do(keys.Unplayed(action))
}

// actions are home's own; what moves the cursor is done apart.
func actions() map[keys.Action]func(*Home) tea.Cmd { return actionTable.From(newActions) }

var actionTable lazy.Value[map[keys.Action]func(*Home) tea.Cmd]

func newActions() map[keys.Action]func(*Home) tea.Cmd {
	return map[keys.Action]func(*Home) tea.Cmd{
		keys.Enter:     (*Home).enter,
		keys.Filter:    (*Home).openPrompt,
		keys.Search:    (*Home).openPrompt,
		keys.FilterOff: func(h *Home) tea.Cmd { return h.setFilter("") },
		keys.Escape: func(h *Home) tea.Cmd {
			if h.filter != "" {
				return h.setFilter("")
			}
			return h.Say(session.Info, h.keys.WordOf(keys.Back, keys.Home)+" leaves")
		},
		keys.Back: func(h *Home) tea.Cmd {
			if h.filter != "" {
				return h.setFilter("")
			}
			return ask(Quit{})
		},
		keys.OpenClient:   (*Home).openClient,
		keys.Launch:       (*Home).openLaunch,
		keys.MarkFile:     (*Home).mark,
		keys.CompareFiles: (*Home).compare,
		keys.SortNext:     func(h *Home) tea.Cmd { return h.sort(true) },
		keys.ShowStats:    func(h *Home) tea.Cmd { return h.sort(true) }, // The key s shows statistics in a session; home has none.
		keys.Command:      (*Home).openHelp,                              // The list is searched by typing, and carries out what is chosen.
		keys.SortBack:     func(h *Home) tea.Cmd { return h.sort(false) },
		keys.WrapIt:       func(h *Home) tea.Cmd { return h.plan(true) },
		keys.UnwrapIt:     func(h *Home) tea.Cmd { return h.plan(false) },
		keys.Delete:       func(h *Home) tea.Cmd { h.asked = h.selected().session; return nil },
		keys.Help:         (*Home).openHelp,
		keys.Redraw:       func(*Home) tea.Cmd { return pane.Program(tea.ClearScreen) },
		keys.Suspend:      func(*Home) tea.Cmd { return pane.Program(tea.Suspend) },
		keys.Quit:         func(*Home) tea.Cmd { return ask(Quit{}) },
	}
}

// does reports whether an action is one of home's.
func does(a keys.Action) bool {
	_, moves := list.Step(a, 1, 1)
	return moves || actions()[a] != nil
}

// do carries out an action, or says why it cannot be done.
func (h *Home) do(a keys.Action) tea.Cmd {
	if step, moves := list.Step(a, len(h.shown), h.high); moves {
		h.move(step)
		return h.judge()
	}
	act := actions()[a]
	if act == nil {
		return h.notHere(a)
	}
	if why := h.disabled(a); why != "" {
		return h.Say(session.Info, why)
	}
	return act(h)
}

// elsewhere says of a key that means nothing here what it does in a session.
func (h *Home) elsewhere(key string) tea.Cmd {
	for b := range h.keys.All() {
		if slices.Contains(b.Keys, key) {
			return h.notHere(b.Action)
		}
	}
	return nil
}

// notHere says of an action of sessions that it is one.
func (h *Home) notHere(a keys.Action) tea.Cmd {
	b := h.keys.Find(a, keys.Home)
	if b == nil || len(b.Keys) == 0 {
		return nil
	}
	return h.Say(session.Info, fmt.Sprintf("%s works in a session (%s); %s opens one", keys.Word(b.Keys[0]), b.Help, h.keys.WordOf(keys.Enter, keys.Home)))
}

// move moves the cursor by some rows.
func (h *Home) move(step int) {
	h.moved = true
	h.at = max(0, min(h.at+step, len(h.shown)-1))
}

// disabled says why an action cannot be done now, empty = it can.
func (h *Home) disabled(a keys.Action) string {
	r := h.selected()
	switch a {
	case keys.Enter:
		if r == nil {
			return "there is nothing to open"
		}
	case keys.OpenClient:
		switch {
		case r == nil || r.session == nil:
			return "only a session has a client process"
		case h.together() == nil:
			return "no other session of its client process is here"
		}
	case keys.MarkFile:
		if r == nil || r.kind != recording || r.session.Fault != "" {
			return "only recordings can be marked"
		}
	case keys.CompareFiles:
		if h.opt.Compare == nil || h.pair() == nil {
			return "mark two recordings with " + h.keys.WordOf(keys.MarkFile, keys.Home)
		}
	case keys.SortNext, keys.SortBack, keys.ShowStats:
		if h.count[recording] < 2 {
			return "nothing to sort: fewer than two recordings"
		}
	case keys.FilterOff:
		if h.filter == "" {
			return "no filter is set; f sets one"
		}
	case keys.Delete:
		switch {
		case r == nil || r.kind != recording && r.kind != live:
			return "only recordings can be deleted"
		case r.kind == live:
			return "it is being recorded; end the session first"
		}
	case keys.WrapIt, keys.UnwrapIt:
		switch {
		case r == nil || r.kind != server:
			return "only a server in a client's file can be wrapped"
		case a == keys.WrapIt && r.server.Wrapped:
			return "it is wrapped already; U unwraps it"
		case a == keys.UnwrapIt && !r.server.Wrapped:
			return "it is not wrapped; W wraps it"
		}
	}
	return ""
}

// enter opens what is under the cursor.
func (h *Home) enter() tea.Cmd {
	r := h.selected()
	switch r.kind {
	case live:
		return ask(Attach{r.session.Path})
	case recording:
		if r.session.Fault != "" {
			return h.Say(session.Error, "it cannot be read: "+r.session.Fault)
		}
		return ask(Open{r.session.Path})
	case demo:
		return ask(Demo{})
	case server:
		s, ctx, editor := *r.server, h.ctx, h.opt.Editor
		h.waits = true
		return func() tea.Msg {
			command, err := editor.Command(ctx, s)
			return answer(func() tea.Cmd { return h.commanded(s, command, err) })
		}
	case numKinds:
	}
	return nil
}

// together returns the sessions of the client process that the one under the cursor
// belongs to; nil if it has only that one.
func (h *Home) together() []inventory.Session {
	if r := h.selected(); r != nil && r.session != nil {
		return h.inv.Together(r.session)
	}
	return nil
}

// openClient opens all sessions of the client process of the one under the cursor.
func (h *Home) openClient() tea.Cmd {
	var all []Ask
	for _, s := range h.together() {
		if h.inv.IsLive(&s) {
			all = append(all, Attach{s.Path})
		} else {
			all = append(all, Open{s.Path})
		}
	}
	return ask(Client{all})
}

// answer takes the answer to the question whether to delete.
func (h *Home) answer(key string) tea.Cmd {
	s := h.asked
	h.asked = nil
	if key != "y" && key != "Y" {
		return nil
	}
	path, name, finder, ctx := s.Path, s.Name, h.opt.Finder, h.ctx
	return func() tea.Msg {
		err := finder.Delete(ctx, path)
		return answer(func() tea.Cmd { return h.done("deleted "+name, err) })
	}
}

// done says what was done, or why it was not, and looks at what there is now.
func (h *Home) done(what string, err error) tea.Cmd {
	if err != nil {
		return h.Say(session.Error, err.Error())
	}
	return tea.Batch(h.Say(session.Info, what), h.look())
}

// plan asks for the change that wraps or unwraps what is under the cursor.
func (h *Home) plan(wrap bool) tea.Cmd {
	s, ctx, editor := *h.selected().server, h.ctx, h.opt.Editor
	h.waits = true
	return func() tea.Msg {
		change, err := editor.Plan(ctx, s, wrap)
		return answer(func() tea.Cmd { return h.planned(s, change, err) })
	}
}

func (h *Home) commanded(s inventory.Server, command inventory.Command, err error) tea.Cmd {
	switch {
	case !h.waits:
		return nil
	case err != nil:
		h.sheet = troubleSheet(s.Name+" is not started", s, err.Error())
	default:
		h.sheet = &sheet{command: &command}
	}
	h.waits = false
	return nil
}

func (h *Home) planned(s inventory.Server, change inventory.Change, err error) tea.Cmd {
	if !h.waits {
		return nil
	}
	h.waits = false
	switch {
	case err != nil:
		h.sheet = troubleSheet("nothing is changed", s, err.Error())
		return nil
	case change.Diff == "":
		return h.Say(session.Info, "there is nothing to change")
	}
	h.sheet = &sheet{change: &change}
	return nil
}

// agree carries out what the sheet shows.
func (h *Home) agree() tea.Cmd {
	s := h.sheet
	h.sheet = nil
	if s.command != nil {
		return ask(Run{*s.command})
	}
	apply := s.change.Apply
	return func() tea.Msg {
		// A file is replaced or not, also where home is left meanwhile.
		text, err := apply(context.Background())
		return answer(func() tea.Cmd { return h.done(text, err) })
	}
}

// openPrompt begins to type a filter, or to change it.
func (h *Home) openPrompt() tea.Cmd {
	h.prompt = newPrompt(h.filter)
	return nil
}

// promptKey edits the filter, which holds at once.
func (h *Home) promptKey(msg tea.KeyPressMsg) tea.Cmd {
	switch name := msg.String(); name {
	case "esc", "ctrl+c":
		h.prompt = nil
		return h.setFilter("")
	case "enter":
		h.prompt = nil
		return nil
	case "up", "ctrl+p":
		h.move(-1)
		return h.judge()
	case "down", "ctrl+n":
		h.move(1)
		return h.judge()
	}
	p, _ := h.prompt.Update(msg)
	h.prompt = &p
	return h.setFilter(p.Value())
}

// Paste puts what was pasted into the command or the filter while it is typed.
func (h *Home) Paste(text string) tea.Cmd {
	if h.launch != nil {
		h.launch.SetValue(h.launch.Value() + strings.Join(strings.Fields(text), " "))
		h.launch.CursorEnd()
		return nil
	}
	if h.prompt == nil {
		return nil
	}
	h.prompt.SetValue(h.prompt.Value() + strings.Join(strings.Fields(text), " "))
	h.prompt.CursorEnd()
	return h.setFilter(h.prompt.Value())
}

// setFilter puts a filter in force; empty = none.
func (h *Home) setFilter(text string) tea.Cmd {
	if text == h.filter {
		return nil
	}
	held := h.selected()
	h.filter, h.top = text, 0
	h.sift()
	h.at = 0
	for i, n := range h.shown {
		if held == &h.rows[n] && (h.moved || text == "") {
			h.at = i
		}
	}
	return h.judge()
}

// Mouse takes a click, which chooses a row, opens it where it is the second one,
// or the wheel.
func (h *Home) Mouse(msg tea.MouseMsg) tea.Cmd {
	m := msg.Mouse()
	switch msg.(type) {
	case tea.MouseWheelMsg:
		lines := 3
		if m.Button == tea.MouseWheelUp {
			lines = -3
		}
		switch {
		case h.sheet != nil:
			h.sheet.page.Wheel(lines)
		case h.help != nil:
			h.help.Move(lines)
		case h.asked == nil:
			h.move(lines)
			return h.judge()
		}
	case tea.MouseClickMsg:
		if m.Button == tea.MouseLeft && h.sheet == nil && h.help == nil && h.asked == nil && !h.waits {
			return h.click(m.X, m.Y)
		}
	}
	return nil
}

// click takes a click on a cell of the screen.
func (h *Home) click(x, y int) tea.Cmd {
	line := y - listTop
	if line < 0 || line >= h.high {
		return nil
	}
	i := h.rowAt(h.top + line)
	if i < 0 {
		return nil
	}
	h.move(i - h.at)
	if h.clicks.Double(x, y, h.opt.Now()) {
		return h.do(keys.Enter)
	}
	return nil
}
