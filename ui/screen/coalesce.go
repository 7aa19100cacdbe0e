package screen

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// coalesceFor is within how long motions of the mouse count as one.
const coalesceFor = 16 * time.Millisecond

// Coalesce returns a filter for the program that lets through no more motions of
// the mouse than can be drawn: every message costs an update and a view.
func Coalesce() func(tea.Model, tea.Msg) tea.Msg {
	var last time.Time
	return func(_ tea.Model, msg tea.Msg) tea.Msg {
		if _, motion := msg.(tea.MouseMotionMsg); motion {
			now := time.Now()
			if now.Sub(last) < coalesceFor {
				return nil
			}
			last = now
		}
		return msg
	}
}
