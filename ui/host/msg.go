package host

import (
	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/keys"
	"wiretea/ui/layout"
	"wiretea/ui/overlay"
	"wiretea/ui/pane"
)

// A Receiver takes the results of its own commands.
type Receiver interface{ Update(msg tea.Msg) tea.Cmd }

// An AddressedMsg is a message of a part of a tab: the result of a command of its own, or
// something that it asks the screen for.
type AddressedMsg struct {
	Tab *Tab
	To  Receiver
	Msg tea.Msg
}

// An OwnMsg is the result of a command of a part that all tabs share: it is for that part
// alone, which takes it by Take.
type OwnMsg struct{ Take func() tea.Cmd }

// Addressed returns a command whose messages are addressed to a part of the tab.
func (t *Tab) Addressed(to Receiver, cmd tea.Cmd) tea.Cmd {
	return pane.Wrap(cmd, func(msg tea.Msg) tea.Msg {
		if _, is := msg.(AddressedMsg); is {
			return msg
		}
		return AddressedMsg{t, to, msg}
	})
}

// A paneOf is a pane as the receiver of its results.
type paneOf struct {
	tab  *Tab
	pane pane.Pane
}

// Update implements Receiver.
func (p paneOf) Update(msg tea.Msg) tea.Cmd {
	return tea.Batch(p.tab.update(p.pane, msg), p.tab.Sync())
}

// update gives a message to a pane.
func (t *Tab) update(p pane.Pane, msg tea.Msg) tea.Cmd {
	return t.Addressed(paneOf{t, p}, p.Update(&t.Ctx, msg))
}

// AddressedTo returns a command of one pane whose messages are addressed to it.
func (t *Tab) AddressedTo(scope keys.Scope, cmd tea.Cmd) tea.Cmd {
	return t.Addressed(paneOf{t, t.Pane(scope)}, cmd)
}

// OfTraffic is AddressedTo the pane of traffic.
func (t *Tab) OfTraffic(cmd tea.Cmd) tea.Cmd { return t.AddressedTo(keys.Traffic, cmd) }

// TellOne gives a message to one pane.
func (t *Tab) TellOne(scope keys.Scope, msg tea.Msg) tea.Cmd {
	return paneOf{t, t.Pane(scope)}.Update(msg)
}

// A Screen is the screen as its parts see it.
type Screen interface {
	// Say shows a line in the footer for a while.
	Say(severity session.Severity, text string) tea.Cmd

	// Overlay is the box that is open, nil for none.
	Overlay() overlay.Box

	// Open opens a box in place of the one that is open, and of the prompt; nil closes
	// the box.
	Open(overlay.Box)

	// Idle reports whether nothing is open that takes keys: a box, a prompt, a form.
	Idle() bool

	// Current is the tab that is shown.
	Current() *Tab

	// Layout is how the panes share the screen.
	Layout() *layout.Layout

	// Press takes a key as if it were pressed now.
	Press(tea.KeyPressMsg) tea.Cmd
}
