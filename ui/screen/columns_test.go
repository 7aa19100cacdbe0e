package screen_test

import (
	"strings"
	"testing"

	"wiretea/ui/screen"
)

// headLine is the line of the heads of traffic.
func headLine(text string) string {
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "│") && strings.Contains(line, "what") {
			head, _, _ := strings.Cut(line, "││")
			return strings.Trim(head, "│")
		}
	}
	return ""
}

// TestColumnsBox chooses, orders and sizes the columns of traffic in their list.
func TestColumnsBox(t *testing.T) {
	s := show(t, 200, 60, screen.Options{NoColour: true}, recording(t))
	s.WaitText("traffic")
	heads := func(want string) {
		t.Helper()
		s.WaitFor(func(text string) bool { return strings.Join(strings.Fields(headLine(text)), " ") == want })
	}
	heads("n time what info latency size id")
	s.Type(":columns\r")
	s.WaitText("columns of traffic")
	s.WaitText("method and target")
	s.Golden("columns-200x60")
	s.Keys("space") // n
	heads("time what info latency size id")
	s.Keys("j", "J") // time, behind what
	heads("what info time latency size id")
	s.Keys("right")
	s.WaitText("8 cells")
	s.Keys("0")
	waitGone(s, "8 cells")
	s.Keys("k", "space") // what stays
	s.WaitText(`the column "what" cannot be left out`)
	s.Keys("r")
	heads("n time what info latency size id")
	s.Keys("space", "esc")
	waitGone(s, "columns of traffic")
	heads("n what info latency size id")
	s.Type(":columns reset\r")
	heads("n time what info latency size id")
}

// TestColumnsByMouse drags the edges of the heads of traffic: before what, between what and
// info, and behind them.
func TestColumnsByMouse(t *testing.T) {
	s := show(t, 200, 60, screen.Options{NoColour: true}, recording(t))
	s.WaitText("latency")
	at := func(text, word string) int { return 1 + strings.Index(headLine(text), word) }
	moved := func(word string, from, by int) {
		t.Helper()
		was := at(s.Screen(), word)
		s.Drag(from, 2, from+by, 2)
		s.WaitFor(func(text string) bool { return at(text, word) == was+by })
	}
	moved("what", at(s.Screen(), "time")+len("time"), 6)
	moved("info", at(s.Screen(), "info")-1, -8)
	// The head of latency is at its right end, which stays.
	edge := at(s.Screen(), "latency") + len("latency") - 10
	s.Drag(edge, 2, edge-5, 2)
	s.Type(":columns\r")
	s.WaitText("14 cells")
	s.WaitText("13 cells") // time
}
