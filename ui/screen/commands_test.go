package screen_test

import (
	"errors"
	"strings"
	"testing"

	"wiretea/ui/screen"
	"wiretea/ui/termtest"
)

// TestHelp holds that help finds, and does, what is typed.
func TestHelp(t *testing.T) {
	s := show(t, 200, 45, screen.Options{}, recording(t))
	s.WaitText("traffic")
	s.Keys("?")
	s.WaitText("jump between request and response")
	s.Type("over the whole")
	s.WaitFor(func(screen string) bool {
		return strings.Contains(screen, "the focused pane over the whole screen") && !strings.Contains(screen, "jump between")
	})
	s.Keys("enter")
	s.WaitTerminal(func(term *termtest.Terminal) bool { return len(corners(term)) == 1 })
	s.Keys("?")
	s.Type("restart")
	s.WaitText("only a server that wiretea started")
	s.Keys("esc")
	s.WaitFor(func(screen string) bool { return !strings.Contains(screen, "only a server") })
}

// TestHelpIsAPalette holds that the help finds what is no key too, and runs it or fills it
// in: commands, words of filters, settings, exports, what the server offers, sessions.
func TestHelpIsAPalette(t *testing.T) {
	s := show(t, 120, 45, screen.Options{}, serverOf(talk(t), "node server.js"), recording(t))
	s.WaitText("traffic")
	pick := func(typed string, shows string) {
		t.Helper()
		s.Keys("ctrl+p")
		s.WaitText("type to search")
		s.Type(typed)
		s.WaitText(shows)
		s.Keys("enter")
		s.WaitFor(func(screen string) bool { return !strings.Contains(screen, "─ help") })
	}
	pick("goto", "go to frame N")
	s.WaitText(" :goto")
	s.Type("5\r")
	waitRow(s, "notifications/initialized")
	pick("is:pend", "waits for its response")
	s.WaitText("filter is:pending")
	s.Keys("f1")
	s.WaitText("words side by side")
	s.Type("notification")
	s.WaitText("is:notification")
	s.Keys("enter")
	s.WaitText("filter is:pending is:notification")
	s.Keys("esc")
	pick("clock abs", ":set time absolute")
	s.WaitText("10:00:00")
	pick("markdown issue", "the text of an issue")
	s.WaitText(":export md session.md")
	s.Keys("esc")
	pick("old.mcpcap", "session")
	s.WaitText("session 2 of 2")
	s.Type(":help signs\r")
	s.WaitText("from the client to the server")
	s.Keys("enter", "esc") // Signs are there to be read.
	s.Type(":help bookmark\r")
	s.WaitText("mark or unmark the row")
	s.Keys("esc")
	sane(t, s)
}

// TestCommands holds what is typed after a colon.
func TestCommands(t *testing.T) {
	server := serverOf(talk(t), "node server.js")
	server.sendErr = errors.New("the pipe is full")
	s := show(t, 120, 45, screen.Options{}, server)
	s.WaitText("traffic")
	s.Keys(":")
	s.Type("expl")
	s.Keys("tab")
	s.WaitText(":explain")
	s.Type(" stdout-n")
	s.Keys("tab")
	s.WaitText(":explain stdout-not-json")
	s.Keys("enter")
	s.WaitText("╭─ stdout-not-json")
	s.Keys("esc", ":")
	s.Type("send tools/list {\"a\": 1}\r")
	if got := <-server.sent; got != `tools/list {"a": 1}` {
		t.Errorf("sent %q", got)
	}
	s.WaitText("the pipe is full")
	s.Type(":nonsense\r")
	s.WaitText(`unknown command "nonsense"`)
	s.Type(":stats\r")
	s.WaitText("statistics")
	s.Keys("esc", "R", "R")
	<-server.restarted
	s.WaitText("it does not start")
	s.Type(":set theme nonsense\r")
	s.WaitText(`unknown theme "nonsense"`)
	s.Type(":set time absolute\r")
	s.WaitText("10:00:00")
}

// TestCopy holds that the raw frame comes to the clipboard as it was on the wire.
func TestCopy(t *testing.T) {
	s := show(t, 120, 40, screen.Options{}, recording(t))
	s.WaitText("traffic")
	s.Type(":11\r")
	waitRow(s, "Server started!")
	s.Keys("y")
	s.WaitText("raw frame")
	s.Keys("r")
	s.WaitTerminal(func(term *termtest.Terminal) bool {
		return strings.TrimRight(term.Clipboard(), "\n") == "Server started!"
	})
	s.Keys("y", "esc")
	s.WaitFor(func(screen string) bool { return !strings.Contains(screen, "raw frame") })
}

// TestPaste holds that a paste goes into a prompt, as much of it as fits, and
// never becomes keys.
func TestPaste(t *testing.T) {
	server := serverOf(talk(t), "node server.js")
	s := show(t, 100, 30, screen.Options{}, server)
	s.WaitText("traffic")
	s.Paste("q\rq\rR\r")
	s.WaitText("press : or f first")
	s.Keys(":")
	s.Type("send ")
	s.Paste(strings.Repeat("0123456789", 10_000))
	s.Keys("enter")
	if got := <-server.sent; len(got) < 10_000 || len(got) > 16<<10 {
		t.Errorf("%d bytes were sent", len(got))
	}
	s.Keys(":")
	s.Paste("send two\nlines\x1b[31m")
	s.Keys("enter")
	if got := <-server.sent; strings.ContainsAny(got, "\n\x1b") {
		t.Errorf("sent %q", got)
	}
	select {
	case <-server.restarted:
		t.Error("a paste was taken for keys")
	default:
	}
	sane(t, s)
}
