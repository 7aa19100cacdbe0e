package screen

import (
	tea "charm.land/bubbletea/v2"

	"wiretea/session/lazy"
	"wiretea/ui/host"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
)

// A handler takes a message of a tab, and reports whether it is one of its kind.
type handler func(s *Screen, t *tab, msg tea.Msg) (tea.Cmd, bool)

// on is the handler of the messages of one type.
func on[M tea.Msg](do func(s *Screen, t *tab, msg M) tea.Cmd) handler {
	return func(s *Screen, t *tab, msg tea.Msg) (tea.Cmd, bool) {
		m, ok := msg.(M)
		if !ok {
			return nil, false
		}
		return do(s, t, m), true
	}
}

// handlers are the messages that the screen takes: its own, and those with which the panes
// and other parts of a tab ask it for something. Any other message is for the part whose
// command it comes from.
func handlers() []handler { return handlerList.From(newHandlers) }

var handlerList lazy.Value[[]handler]

func newHandlers() []handler {
	return []handler{
		on(func(s *Screen, _ *tab, msg wokeMsg) tea.Cmd {
			t := msg.tab
			t.Look()
			return tea.Batch(t.Tell(pane.MovedMsg{}), t.PlaceNotes(), s.followPage(), t.requests.FollowSent(), t.questions.Attend(), t.wait())
		}),
		on(func(s *Screen, _ *tab, _ tickMsg) tea.Cmd {
			return tea.Batch(s.ticked(), s.followPage(), s.tab().requests.FollowSent(), s.ticking())
		}),
		on(func(s *Screen, _ *tab, msg noticeOverMsg) tea.Cmd {
			if msg.serial == s.notice.serial {
				s.notice.text = ""
			}
			return nil
		}),
		on((*Screen).newsCame),
		on(func(_ *Screen, _ *tab, msg host.OwnMsg) tea.Cmd { return msg.Take() }),

		on((*Screen).askSave),
		on((*Screen).askOutside),
		on(func(s *Screen, _ *tab, _ pane.PictureMsg) tea.Cmd {
			if s.prefs.Theme.NoColour {
				return nil
			}
			return s.pictures.Ask()
		}),
		on(func(s *Screen, _ *tab, msg pane.SayMsg) tea.Cmd { return s.Say(msg.Severity, msg.Text) }),
		on(func(s *Screen, _ *tab, msg pane.CopyMsg) tea.Cmd { return copyText(msg) }),
		on(func(s *Screen, _ *tab, msg pane.EditMsg) tea.Cmd {
			s.pictures.Forget() // The editor draws over them.
			return edit(msg)
		}),
		on(func(s *Screen, _ *tab, msg pane.FocusMsg) tea.Cmd { return s.show(msg.Pane) }),
		on(func(s *Screen, _ *tab, msg pane.ExplainMsg) tea.Cmd { return s.explain(msg.Rule) }),
		on(func(_ *Screen, t *tab, msg pane.PointMsg) tea.Cmd {
			if msg.Stale != nil && msg.Stale() {
				return nil
			}
			return t.timeline.Goto(msg.Row)
		}),
		on(func(s *Screen, t *tab, msg pane.GotoMsg) tea.Cmd { return s.goTo(t, msg.Row) }),
		on(func(_ *Screen, t *tab, msg pane.SetFilterMsg) tea.Cmd { return t.setFilter(msg.Text, true) }),
		on(func(_ *Screen, t *tab, msg pane.NotedMsg) tea.Cmd { return t.KeepNote(msg) }),
		on(func(_ *Screen, t *tab, msg pane.CompareMsg) tea.Cmd { return t.comparing.Show(msg) }),
		on(func(_ *Screen, t *tab, msg pane.ComparedMsg) tea.Cmd { return t.comparing.Compared(msg) }),
		on(func(_ *Screen, t *tab, msg pane.ComposeMsg) tea.Cmd { return t.composer.Open(msg) }),
		on(func(_ *Screen, t *tab, msg pane.SendMsg) tea.Cmd { return t.requests.Send(msg.Line) }),
		on(func(_ *Screen, t *tab, msg pane.ListMsg) tea.Cmd { return t.requests.List(msg) }),
		on(func(_ *Screen, t *tab, msg pane.CancelMsg) tea.Cmd { return t.requests.CancelRow(msg.Row) }),
		on(func(_ *Screen, t *tab, msg pane.CancelTaskMsg) tea.Cmd { return t.requests.CancelTask(msg) }),
		on(func(_ *Screen, t *tab, msg pane.SubscribeMsg) tea.Cmd {
			if msg.Off {
				return t.requests.Unsubscribe(msg.URI)
			}
			return t.requests.Subscribe(msg.URI)
		}),
	}
}

// handle carries out a message, or reports that it is not the screen's.
func (s *Screen) handle(t *tab, msg tea.Msg) (tea.Cmd, bool) {
	for _, h := range handlers() {
		if cmd, mine := h(s, t, msg); mine {
			return cmd, true
		}
	}
	return nil, false
}

// followPage keeps the page that is open up to date.
func (s *Screen) followPage() tea.Cmd {
	if s.layout.Page == keys.Global {
		return nil
	}
	if s.layout.Page == keys.Stats {
	}
	cmd := s.tab().TellOne(s.layout.Page, pane.ShownMsg{})
	if s.layout.Page == keys.Tools {
		return tea.Batch(cmd, s.tab().requests.FollowLists())
	}
	return cmd
}
