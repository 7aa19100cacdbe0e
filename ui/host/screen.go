package host

import (
	tea "charm.land/bubbletea/v2"

	"wiretea/session"
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

	// ToTraffic closes a page that covers the traffic.
	ToTraffic()

	// Press takes a key as if it were pressed now.
	Press(tea.KeyPressMsg) tea.Cmd

	// Body is the size of what header and footer leave, in cells.
	Body() (w, h int)
}
