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
	s.WaitText("up a line")
	s.Type("over the whole")
	s.WaitFor(func(screen string) bool {
		return strings.Contains(screen, "the focused pane over the whole screen") && !strings.Contains(screen, "up a line")
	})
	s.Keys("enter")
	s.WaitTerminal(func(term *termtest.Terminal) bool { return len(corners(term)) == 1 })
	s.Keys("?")
	s.Type("restart")
	s.WaitText("only a server that wiretea started")
	s.Keys("esc")
	s.WaitFor(func(screen string) bool { return !strings.Contains(screen, "only a server") })
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
