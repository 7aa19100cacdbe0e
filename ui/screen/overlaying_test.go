package screen_test

import (
	"testing"

	"wiretea/ui/screen"
)

// TestStatisticsOverlaid holds that the statistics of one session are laid over those of
// another, and are alone again after the last.
func TestStatisticsOverlaid(t *testing.T) {
	s := show(t, 120, 40, screen.Options{NoColour: true}, sourceOf(talk(t), "one"), sourceOf(pictured(t), "two"))
	s.WaitText("traffic")
	s.Keys("s")
	s.WaitText("latency of")
	s.Keys("d")
	s.WaitText("▒ two, 1 answer")
	s.WaitText("two: over time")
	s.Keys("d")
	waitGone(s, "▒ two")
	s.WaitText("latency of")
	sane(t, s)
}

// TestStatisticsOfOne holds that a single session has nothing to be laid over.
func TestStatisticsOfOne(t *testing.T) {
	s := show(t, 120, 40, screen.Options{NoColour: true}, sourceOf(talk(t), "one"))
	s.WaitText("traffic")
	s.Keys("s", "d")
	s.WaitText("there is one session only")
}
