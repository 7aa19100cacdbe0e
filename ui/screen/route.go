package screen

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/lazy"
	"wiretea/ui/intercept"
	"wiretea/ui/keys"
	"wiretea/ui/layout"
	"wiretea/ui/overlay"
	"wiretea/ui/pane"
	"wiretea/ui/source"
)

// key routes a key: to the prompt or the overlay that is open, else to the
// action that the table gives it.
func (s *Screen) key(msg tea.KeyPressMsg) tea.Cmd {
	name := msg.String()
	if s.leaving.Running() {
		return s.leaving.Key(name)
	}
	if box, asks := s.overlay.(*overlay.Confirm); asks && name != "ctrl+z" {
		if box.Answers(name) {
			return s.overlayKey(msg)
		}
		s.overlay = nil
	}
	if s.prompt.IsOpen() && name != "ctrl+z" {
		return s.prompt.Key(msg)
	}
	r, rests := s.overlay.(overlay.Rester)
	if s.overlay != nil && name != "ctrl+c" && name != "ctrl+z" && (!rests || s.chord == "" && r.Wants(name)) {
		return s.overlayKey(msg)
	}
	if s.composes(name) {
		return s.tab().composer.Key(msg)
	}
	if a := s.tour.Key(name); a != "" && s.chord == "" {
		return s.do(a)
	}
	s.tour.Own = true
	if s.chord != "" {
		name, s.chord = s.chord+" "+name, ""
		if strings.HasSuffix(name, " esc") {
			return nil
		}
	} else if s.keys.Begins(name, s.layout.Focus) {
		s.chord = name
		return nil
	}
	action, known := s.lookup(name)
	if !known {
		return nil
	}
	return s.do(action)
}

// lookup returns the action of a key: on a row whose message is held, that on the message goes
// before one that holds everywhere.
func (s *Screen) lookup(key string) (keys.Action, bool) {
	t, focus := s.tab(), s.layout.Focus
	action, known := s.keys.Lookup(key, focus)
	if t.onHeld() {
		if k := s.keys.Find(action, focus); k == nil || slices.Contains(k.Scopes, keys.Global) {
			if a, _ := s.keys.Lookup(key, keys.Held); slices.Contains(onHeld, a) {
				return a, true
			}
		}
	}
	return action, known
}

// onHeld are the actions whose keys mean the held message also where another pane has the focus
// and the cursor of traffic is on its row.
var onHeld = []keys.Action{keys.Release, keys.EditHeld, keys.DropHeld, keys.Respond, keys.Revert}

// onHeld reports whether the selected row of traffic is a message that is held, and seen.
func (t *tab) onHeld() bool {
	l := t.Layout()
	return l.Page == keys.Global && l.Focus != keys.Held && !t.Ctx.Past && t.Ctx.Holds(t.Ctx.Snap.Row(t.Ctx.Cursor))
}

// followHeld selects in the pane of held messages the one whose row is selected in traffic.
func (t *tab) followHeld() tea.Cmd {
	if !t.onHeld() {
		return nil
	}
	return t.AddressedTo(keys.Held, t.Held.Select(t.Ctx.HeldAt(t.Ctx.Snap.Row(t.Ctx.Cursor))))
}

// do carries out an action, or says why it cannot be done. An action with the name of a
// pane opens it as a page.
func (s *Screen) do(a keys.Action) tea.Cmd {
	t := s.tab()
	s.guidance.follow(s.layout.Focus, a)
	if a == keys.Play && (s.layout.Page != keys.Global || t.Source.Live()) {
		a = keys.PageDown
	}
	if t.Ctx.Past {
		if a == keys.Bottom && s.layout.Focus == keys.Traffic {
			return t.timeline.Leave()
		}
		if cmd, mine := t.timeline.Do(a); mine {
			return cmd
		}
	}
	if why := s.disabled(a); why != "" {
		return s.Say(session.Info, why)
	}
	if act, mine := actions()[a]; mine {
		return act(s)
	}
	if cmd, mine := t.intercept.Do(a); mine {
		return cmd
	}
	if cmd, mine := t.timeline.Do(a); mine {
		return cmd
	}
	if name := keys.Scope(a); t.Pane(name) != nil {
		return s.page(name)
	}
	cmd, _ := t.Do(s.layout.Focus, a)
	return cmd
}

// ofOne are the actions that are about one session.
var ofOne = []keys.Action{keys.ShowTools, keys.Play, keys.StepBack, keys.StepOn, keys.OpBack, keys.OpOn}

func (t *tab) ofOne() string {
	return "this is about one session; " + t.Ctx.Keys.WordOf(keys.NextFile, keys.Global) + " goes to one"
}

// disabled says why an action cannot be done now, empty = it can.
func (s *Screen) disabled(a keys.Action) string {
	t := s.tab()
	if len(t.Ctx.Snap.Members()) > 0 && slices.Contains(ofOne, a) {
		return t.ofOne()
	}
	switch a {
	case keys.Restart:
		if _, ok := t.Source.(source.Server); !ok {
			return "only a server that wiretea started can be restarted"
		}
	case keys.Play, keys.StepBack, keys.StepOn, keys.OpBack, keys.OpOn, keys.Slower, keys.Faster:
		return t.timeline.Disabled()
	case keys.ShowStderr:
		if t.Ctx.HTTP() {
			return "the stderr of a server at a URL is not seen"
		}
	case keys.Comment:
		return t.NoComment()
	case keys.Answer:
		if why := t.questions.Disabled(); why != "" && t.intercept.NoHeld() != "" {
			return why
		}
	case keys.Intercept, keys.HoldOnOff:
		return t.intercept.Disabled()
	case keys.ReleaseAl, keys.ShowHeld:
		return t.intercept.NoHeld()
	case keys.LogLevel:
		return t.requests.NoLogLevel()
	case keys.Compose, keys.Recall:
		return t.requests.Disabled()
	case keys.EditSend, keys.Duplicate:
		return t.requests.NoRequest()
	case keys.Resend:
		return t.requests.NoResend()
	case keys.Cancel:
		if s.layout.Focus == keys.Tools {
			return t.Tools.Disabled(&t.Ctx, a)
		}
		return t.requests.NoCancel()
	case keys.Original:
		if t.Ctx.Cursor == session.NoRow {
			return "no row is selected"
		}
	case keys.Difference:
		if s.layout.Focus == keys.Held {
			return t.intercept.NoDifference()
		}
		return t.comparing.Disabled()
	case keys.NextFile, keys.PrevFile:
		if len(s.tabs) < 2 {
			return "there is one session only"
		}
	case keys.SearchNext, keys.SearchPrev:
		if s.layout.Focus == keys.Tools && t.Tools.Narrowed() != "" {
			return ""
		}
	case keys.FilterOff:
		if t.Filter == "" {
			return "no filter is set; f sets one"
		}
	case keys.Pause, keys.Follow:
		if t.Ctx.Past {
			return "this is the past; " + s.keys.WordOf(keys.Play, keys.Traffic) + " plays and pauses"
		}
		if !t.Ctx.Live && a == keys.Pause {
			return "the session has ended; there is nothing to pause"
		}
	}
	if intercept.Acts(a) {
		return t.intercept.NoAct(a)
	}
	if _, mine := actions()[a]; mine {
		return ""
	}
	return t.Disabled(s.layout.Focus, a)
}

// actions are the screen's own. What is not here is a pane's.
func actions() map[keys.Action]func(*Screen) tea.Cmd { return actionTable.From(newActions) }

var actionTable lazy.Value[map[keys.Action]func(*Screen) tea.Cmd]

func newActions() map[keys.Action]func(*Screen) tea.Cmd {
	table := map[keys.Action]func(*Screen) tea.Cmd{
		keys.Escape:     (*Screen).back,
		keys.TourNext:   func(s *Screen) tea.Cmd { return s.tour.Step(1) },
		keys.TourBack:   func(s *Screen) tea.Cmd { return s.tour.Step(-1) },
		keys.Back:       (*Screen).backOrLeave,
		keys.Enter:      (*Screen).enter,
		keys.Filter:     func(s *Screen) tea.Cmd { return s.prompt.Open(s.asked.filter) },
		keys.Search:     func(s *Screen) tea.Cmd { return s.prompt.Open(s.asked.search) },
		keys.Narrow:     func(s *Screen) tea.Cmd { return s.prompt.Open(s.asked.narrow) },
		keys.Command:    func(s *Screen) tea.Cmd { return s.prompt.Open(s.asked.command) },
		keys.FilterBy:   (*Screen).filterBy,
		keys.FilterOff:  of(func(t *tab) tea.Cmd { return t.setFilter(t.Filter, !t.FilterOn) }),
		keys.Pause:      of((*tab).togglePause),
		keys.TimeFormat: func(s *Screen) tea.Cmd { return s.prefs.NextTime() },
		keys.Mouse:      (*Screen).toggleMouse,
		keys.Redraw: func(s *Screen) tea.Cmd {
			s.pictures.Forget()
			return pane.Program(tea.ClearScreen)
		},
		keys.Suspend:    func(*Screen) tea.Cmd { return pane.Program(tea.Suspend) },
		keys.Help:       func(s *Screen) tea.Cmd { return s.openHelp(allPage, "") },
		keys.Original:   of(func(t *tab) tea.Cmd { return t.comparing.Original() }),
		keys.Difference: (*Screen).difference,
		keys.Answer:     (*Screen).answer,
		keys.Intercept:  func(s *Screen) tea.Cmd { return s.prompt.Open(s.asked.intercept) },
		keys.HoldOnOff:  (*Screen).toggleHold,
		keys.ShowHeld:   func(s *Screen) tea.Cmd { return s.show(keys.Held) },
		keys.ReleaseAl:  of(func(t *tab) tea.Cmd { return t.intercept.ReleaseAll() }),
		keys.LogLevel:   of(func(t *tab) tea.Cmd { return t.requests.OpenLevels() }),
		keys.Compose:    (*Screen).compose,
		keys.EditSend:   of(func(t *tab) tea.Cmd { return t.composer.EditSelected() }),
		keys.Duplicate:  of(func(t *tab) tea.Cmd { return t.composer.Duplicate() }),
		keys.Recall:     of(func(t *tab) tea.Cmd { return t.composer.Recall() }),
		keys.Resend:     of(func(t *tab) tea.Cmd { return t.requests.Resend() }),
		keys.Cancel:     (*Screen).cancel,
		keys.Restart:    of(func(t *tab) tea.Cmd { return t.requests.Restart() }),
		keys.NextFile:   func(s *Screen) tea.Cmd { return s.turn(1) },
		keys.PrevFile:   func(s *Screen) tea.Cmd { return s.turn(-1) },
		keys.Quit:       func(s *Screen) tea.Cmd { return s.leaving.Quit(false) },
		keys.Comment:    func(s *Screen) tea.Cmd { return s.prompt.Open(s.asked.comment) },
		keys.Export:     (*Screen).askExport,
	}
	for _, a := range layout.Actions {
		table[a] = func(s *Screen) tea.Cmd {
			if says := s.layout.Do(a); says != "" {
				return s.Say(session.Info, says)
			}
			return nil
		}
	}
	return table
}

// of is an action of the tab that is shown.
func of(do func(*tab) tea.Cmd) func(*Screen) tea.Cmd {
	return func(s *Screen) tea.Cmd { return do(s.tab()) }
}

// backOrLeave closes what is open over the list of traffic, or else leaves the sessions.
func (s *Screen) backOrLeave() tea.Cmd {
	if s.open() {
		return s.back()
	}
	return s.leaving.Quit(true)
}

// enter opens the details of a row of traffic; elsewhere the pane with the focus decides.
func (s *Screen) enter() tea.Cmd {
	if s.layout.Focus == keys.Traffic {
		return s.show(keys.Detail)
	}
	cmd, _ := s.tab().DoIn(s.layout.Focus, keys.Enter)
	return cmd
}

func (s *Screen) toggleMouse() tea.Cmd {
	if s.mouse = !s.mouse; s.mouse {
		return s.Say(session.Info, "Mouse on: click, turn the wheel, drag a border.")
	}
	return s.Say(session.Info, "Mouse off: select text with the terminal. ctrl-o turns it on.")
}

// difference compares what the page and the pane with the focus show.
func (s *Screen) difference() tea.Cmd {
	t := s.tab()
	if s.layout.Focus == keys.Held {
		return t.intercept.Difference()
	}
	return t.comparing.Difference()
}

// answer opens the server's oldest question; where none waits, the held messages.
func (s *Screen) answer() tea.Cmd {
	if t := s.tab(); t.questions.Disabled() == "" {
		return t.questions.AnswerOldest()
	}
	return s.show(keys.Held)
}

// toggleHold holds messages by the filter that was used last, or stops that; without such a
// filter it asks for one.
func (s *Screen) toggleHold() tea.Cmd {
	if cmd, known := s.tab().intercept.Toggle(); known {
		return cmd
	}
	return s.prompt.Open(s.asked.intercept)
}

// cancel cancels the selected request; on the page of tools, what is selected there.
func (s *Screen) cancel() tea.Cmd {
	if s.layout.Focus != keys.Tools {
		return s.tab().requests.Cancel()
	}
	cmd, _ := s.tab().DoIn(keys.Tools, keys.Cancel)
	return cmd
}

// compose opens the composer on what is selected: an item of the page of tools, a request;
// else it asks what to compose.
func (s *Screen) compose() tea.Cmd {
	t := s.tab()
	if s.layout.Focus != keys.Tools {
		return t.composer.Compose()
	}
	if cmd, mine := t.DoIn(keys.Tools, keys.Compose); mine {
		return cmd
	}
	return t.composer.Ask()
}

// composes reports whether a key is the composer's, empty for what is pasted.
func (s *Screen) composes(key string) bool {
	return s.tab().composer.IsOpen() && s.overlay == nil && !s.prompt.IsOpen() && s.chord == "" && key != "ctrl+z"
}

// open reports whether there is something that back closes.
func (s *Screen) open() bool {
	t := s.tab()
	return s.layout.IsOpen() || t.Ctx.Past || t.timeline.Going() || t.Ctx.Search.Text != "" || t.Filter != "" && t.FilterOn
}

// back closes what is open, step by step. It does not leave.
func (s *Screen) back() tea.Cmd {
	t := s.tab()
	switch {
	case s.layout.Page == keys.Tools && t.Tools.Narrowed() != "":
		return t.Tools.Narrow("")
	case s.layout.Back():
	case t.Ctx.Past, t.timeline.Going():
		return t.timeline.Leave()
	case t.Ctx.Search.Text != "":
		return t.search("")
	case t.Filter != "" && t.FilterOn:
		return t.setFilter(t.Filter, false)
	}
	return nil
}

// show gives a pane the focus, and brings it up where it is hidden.
func (s *Screen) show(scope keys.Scope) tea.Cmd {
	if !s.layout.Show(scope) {
		return s.page(scope)
	}
	return nil
}

// page opens a page over the panes, or closes it.
func (s *Screen) page(scope keys.Scope) tea.Cmd {
	if s.layout.Page == scope {
		return s.back()
	}
	s.layout.Open(scope)
	return s.followPage()
}

// goTo moves the cursor of traffic to a row, and shows it.
func (s *Screen) goTo(t *tab, row uint32) tea.Cmd {
	cmd := t.timeline.Goto(row)
	if t == s.tab() {
		s.layout.Uncover()
	}
	return cmd
}
