package host

import (
	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/layout"
	"wiretea/ui/overlay"
)

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
