package screen_test

import (
	"strings"
	"testing"

	"wiretea/session"
	"wiretea/ui/panetest"
	"wiretea/ui/screen"
)

// header is the first line of a screen.
func headerOf(screen string) string {
	line, _, _ := strings.Cut(screen, "\n")
	return line
}

// TestSilence holds that a rule that is silenced counts nowhere, until it is taken
// in again.
func TestSilence(t *testing.T) {
	s := show(t, 140, 45, screen.Options{}, recording(t))
	s.WaitFor(func(screen string) bool { return strings.Contains(headerOf(screen), "✖ 1") })
	s.Type(":silence nonsense\r")
	s.WaitText(`unknown rule "nonsense"`)
	s.Keys(":")
	s.Type("silence stdout")
	s.Keys("tab")
	s.WaitText(":silence stdout-not-json")
	s.Keys("enter")
	s.WaitText("stdout-not-json is silenced in this session")
	s.WaitFor(func(screen string) bool {
		return !strings.Contains(headerOf(screen), "✖ 1") && strings.Contains(screen, "silenced 1") && !strings.Contains(screen, "✖ server wrote")
	})
	s.Type(":unsilence nonsense\r")
	s.WaitText(`"nonsense" is not silenced`)
	s.Type(":unsilence\r")
	s.WaitText("all rules count again")
	s.WaitFor(func(screen string) bool {
		return strings.Contains(headerOf(screen), "✖ 1") && !strings.Contains(screen, "silenced 1") && strings.Contains(screen, "✖ server wrote")
	})
	s.Type(":unsilence stdout-not-json\r")
	s.WaitText("no rule is silenced")
	s.Keys("!", "i")
	s.WaitText("stdout-not-json is silenced in this session")
	s.Keys("I")
	s.WaitText("all rules count again")
}

// TestTrouble holds that the cause is in sight on a small screen too: above the
// panes, and in the pane of findings once that is open.
func TestTrouble(t *testing.T) {
	s := show(t, 80, 24, screen.Options{}, running(t))
	above := func(screen string) bool {
		lines := strings.Split(screen, "\n")
		return len(lines) > 1 && strings.HasPrefix(lines[1], " ✖ server wrote text to stdout")
	}
	s.WaitFor(above)
	s.Keys("!")
	s.WaitFor(func(screen string) bool {
		return !above(screen) && strings.Contains(screen, "╭─ findings") && strings.Contains(screen, "✖ server wrote text to stdout")
	})
	s.Keys("esc")
	s.WaitFor(above)
}

// TestTroubleHasItsMend holds that what to change is in sight on a small screen, however
// long the sentence before it is.
func TestTroubleHasItsMend(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {60, 24}, {80, 20}, {50, 18}} {
		s := panetest.New(t)
		s.Proc(0, session.Proc{Event: "start", PID: 7})
		s.Client(2, initialize)
		s.Stderr(9, "/home/anna/.pyenv/versions/3.11.7/bin/python3: can't open file '/a/b.py': [Errno 2] No such file or directory")
		s.IO(10, session.S2C, session.IOEvent{Event: "eof", Side: "server"})
		s.IO(10, session.Stderr, session.IOEvent{Event: "eof", Side: "server"})
		s.Proc(11, session.Proc{Event: "exit", Code: 2})
		s.IO(12, session.C2S, session.IOEvent{Event: "closed", Side: "server"})
		show(t, size[0], size[1], screen.Options{NoColour: true}, sourceOf(s, "dead.mcpcap.jsonl")).WaitFor(func(screen string) bool {
			head, _, _ := strings.Cut(screen, "╭")
			head = strings.Join(strings.Fields(head), " ")
			return strings.Contains(head, "✖ server exited with code 2") && strings.Contains(head, "→ correct the path /a/b.py in the command")
		})
	}
}

// TestExplainClients holds that a rule is explained with what clients do.
func TestExplainClients(t *testing.T) {
	s := show(t, 120, 60, screen.Options{}, recording(t))
	s.WaitText("╭─ traffic")
	s.Type(":explain stdout-not-json\r")
	s.WaitText("╭─ stdout-not-json")
	s.WaitText("Go SDK 1.8.0            ✖ disconnects")
}
