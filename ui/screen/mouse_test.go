package screen_test

import (
	"strings"
	"testing"

	"wiretea/ui/screen"
	"wiretea/ui/termtest"
)

// clickOn clicks on the first cell of a text in a row of the screen, -1 for the last.
func clickOn(t *testing.T, s *termtest.Session, row int, text string) {
	t.Helper()
	s.WaitText(text)
	x, y := -1, row
	s.Terminal(func(term *termtest.Terminal) {
		lines := strings.Split(term.String(), "\n")
		if _, h := term.Size(); row < 0 {
			y = h + row
		}
		if before, _, found := strings.Cut(lines[y], text); found {
			x = len([]rune(before))
		}
	})
	if x < 0 {
		t.Fatalf("row %d lacks %q", row, text)
	}
	s.Click(x, y)
}

// TestClickFooter holds that a click on a hint does what its key does.
func TestClickFooter(t *testing.T) {
	for _, size := range sizes {
		s := show(t, size[0], size[1], screen.Options{}, running(t))
		s.WaitText("f filter")
		clickOn(t, s, -1, "f filter")
		s.WaitText("m:tools/call t:echo")
		s.Keys("esc")
		s.WaitText("? help")
		clickOn(t, s, -1, "? help")
		s.WaitText("type to search")
	}
}

// TestClickNotice holds that a click ends a notice, and does nothing else.
func TestClickNotice(t *testing.T) {
	s := show(t, 120, 40, screen.Options{}, running(t))
	s.WaitText("f filter")
	s.Keys("n")
	clickOn(t, s, -2, "nothing is searched for")
	s.WaitText("f filter")
}

// TestClickCounts holds that a click on the counts of findings in the header leads to
// them, and a click beside them does not.
func TestClickCounts(t *testing.T) {
	s := show(t, 120, 40, screen.Options{}, running(t))
	s.WaitText("✖ 1")
	s.Click(4, 0)
	s.WaitText("f filter")
	clickOn(t, s, 0, "✖ 1")
	s.WaitText("e explain")
}

// TestClickTour holds that a click on the line of the tour goes to the next scene.
func TestClickTour(t *testing.T) {
	s, tour, _, _ := tourOf(t, 120, 40)
	s.WaitFor(all("tools/call echo #7", "n next scene"))
	clickOn(t, s, 1, "Nothing to report")
	tour.stepped(t, 1)
	clickOn(t, s, -1, "n next scene")
	tour.stepped(t, 1)
}
