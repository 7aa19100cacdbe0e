package screen_test

import (
	"strings"
	"testing"

	"wiretea/ui/config"
	"wiretea/ui/screen"
	"wiretea/ui/termtest"
)

// TestFilter holds how a filter is typed, put in force, and taken out.
func TestFilter(t *testing.T) {
	s := show(t, 100, 30, screen.Options{}, recording(t))
	s.WaitText("pour")
	s.Keys("f")
	s.Type("is:nonsense")
	s.WaitText("unknown state")
	s.Keys("enter") // it stays open: the next keys go on typing
	s.Keys("ctrl+u")
	s.Type("m:tools/list")
	s.WaitText("✔")
	s.Keys("enter")
	s.WaitFor(func(screen string) bool {
		return strings.Contains(screen, "2 of ") && !strings.Contains(screen, "pour")
	})
	s.Keys("ctrl+t")
	s.WaitText("pour")
	s.Keys("ctrl+t")
	s.WaitText("2 of ")
	s.Keys("f", "ctrl+u", "enter")
	s.WaitText("pour")
	s.Keys("f", "up")
	s.WaitText("filter m:tools/list")
	s.Keys("esc")
	s.WaitFor(func(screen string) bool { return !strings.Contains(screen, "filter m:tools/list") })
}

// cursorRow is what is in the line under traffic's cursor.
func cursorRow(term *termtest.Terminal) string {
	_, h := term.Size()
	for y := 1; y < h; y++ {
		if _, style := term.Cell(2, y); style.Bg != 0 {
			return term.Screen()[y]
		}
	}
	return ""
}

// waitRow waits until traffic's cursor is in a line that holds a text.
func waitRow(s *termtest.Session, text string) {
	s.WaitTerminal(func(term *termtest.Terminal) bool { return strings.Contains(cursorRow(term), text) })
}

// TestFilterFirst holds that a session can begin with a filter, and that going back
// takes it off before it leaves.
func TestFilterFirst(t *testing.T) {
	s := show(t, 120, 40, screen.Options{Filter: "m:initialize"}, serverOf(talk(t), "node server.js"))
	s.WaitFor(func(screen string) bool {
		return strings.Contains(screen, "initialize") && !strings.Contains(screen, "tools/list")
	})
	s.Keys("esc")
	s.WaitText("tools/list")
	s.Keys("esc", "q")
	s.WaitText("leave?")
}

// TestMoves holds the ways to a row.
func TestMoves(t *testing.T) {
	s := show(t, 160, 45, screen.Options{}, recording(t))
	s.WaitText("traffic")
	s.Keys("g")
	waitRow(s, "server started")
	s.Keys("j", "j")
	waitRow(s, " 4 ")
	s.Keys("G")
	waitRow(s, "server exited")
	s.Type(":7\r")
	waitRow(s, " 7 ")
	s.Keys("o")
	waitRow(s, " 6 ")
	s.Type(":goto 14\r")
	waitRow(s, "the kettle is on")
	s.Keys("g", "w")
	waitRow(s, "Server started!")
	s.Keys("g", "/")
	s.Type("KETTLE\r")
	waitRow(s, "the kettle is on")
	s.Keys("g", "m", "j", "j", "[")
	waitRow(s, "server started")
	s.Type(":goto zero\r")
	s.WaitText(`"zero" is not a frame number`)
	s.Type(":goto 99999\r")
	waitRow(s, "server exited")
}

// TestNoticeEnds holds that a notice of no weight goes where a key leads to other
// keys, and that what is wrong stays.
func TestNoticeEnds(t *testing.T) {
	s := show(t, 120, 40, screen.Options{Settings: config.Settings{NoticeText: "1h"}}, recording(t))
	s.WaitText("pour")
	footer := func(screen string) string { // and the line above it
		lines := strings.Split(strings.TrimRight(screen, "\n"), "\n")
		return strings.Join(lines[max(0, len(lines)-2):], "\n")
	}
	const light, wrong = "no filter is set", "nonsense"
	for _, key := range []string{"tab", "T", "?"} {
		s.Keys("ctrl+t")
		s.WaitFor(func(screen string) bool { return strings.Contains(footer(screen), light) })
		s.Keys(key)
		s.WaitFor(func(screen string) bool { return !strings.Contains(footer(screen), light) })
		s.Keys("esc")
	}
	waitGone(s, "type to search")
	s.Type(":" + wrong + "\r")
	s.WaitFor(func(screen string) bool { return strings.Contains(footer(screen), wrong) })
	s.Keys("?")
	s.WaitFor(func(screen string) bool {
		return strings.Contains(screen, "type to search") && strings.Contains(footer(screen), wrong)
	})
}

// TestTabsFromTraffic holds that the tabs of the detail are turned from traffic too, which
// keeps the focus.
func TestTabsFromTraffic(t *testing.T) {
	s := show(t, 120, 40, screen.Options{}, running(t))
	s.WaitText("traffic")
	s.Type(":8\r")
	s.WaitText("arguments of echo")
	s.Keys("}")
	s.WaitText(`"params": {`)
	s.Keys("{")
	s.WaitText("arguments of echo")
	s.Keys("j")
	s.WaitText("tools/call echo #10")
}
