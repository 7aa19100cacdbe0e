package screen_test

import (
	"strings"
	"testing"

	"wiretea/session"
	"wiretea/ui/panetest"
	"wiretea/ui/screen"
)

// again is talk, in which a server wrote to its stdout, and another start of it.
func again(t *testing.T) *panetest.Session {
	s := talk(t)
	s.Server(4900, `{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"tea"}]}}`)
	s.Proc(5000, session.Proc{Event: "exit"})
	s.Conn(2)
	s.Proc(6000, session.Proc{Event: "start", PID: 4712})
	return s
}

// shaken writes the handshake of the second start.
func shaken(s *panetest.Session) {
	s.Client(6001, initialize)
	s.Server(6041, initialized)
	s.Client(6042, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// TestTroubleIsOver holds that the line on top goes once the server is restarted, and
// comes back where the new one does what it says.
func TestTroubleIsOver(t *testing.T) {
	const trouble = "server wrote text to stdout"
	for _, tt := range []struct {
		name  string
		then  func(*panetest.Session)
		stays bool
	}{
		{"started alone", func(*panetest.Session) {}, false},
		{"mended", func(s *panetest.Session) { shaken(s) }, false},
		{"the same again", func(s *panetest.Session) { shaken(s); s.Server(6100, "Server started!") }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			written := again(t)
			tt.then(written)
			written.Stderr(6300, "all is said")
			s := show(t, 80, 24, screen.Options{}, serverOf(written, "node server.js"))
			s.WaitText("connection 2")
			if tt.stays {
				s.WaitText(trouble)
				return
			}
			s.Keys("!")
			s.WaitText("in earlier ones") // the diagnosis has been drawn
			s.Keys("q")
			s.WaitText("traffic")
			s.WaitFor(func(screen string) bool { return !strings.Contains(screen, trouble) })
		})
	}
}

// TestNeverStarted holds that the line at the top gives no server a good mark that
// could not be started, although it broke no rule.
func TestNeverStarted(t *testing.T) {
	written := panetest.New(t)
	written.Proc(1, session.Proc{Event: "failed", Err: `starting "./tea": no such file`})
	written.End()
	s := show(t, 100, 30, screen.Options{}, sourceOf(written, "old.mcpcap.jsonl"))
	s.WaitText("the server could not be started")
	s.WaitFor(func(screen string) bool {
		head, _, _ := strings.Cut(screen, "\n")
		return strings.Contains(head, "recording") && strings.Count(head, "✖") == 1 && strings.Contains(head, "✖ not started") && !strings.Contains(head, "✔")
	})
}

// TestNeverStartedLive holds that a session whose command could not be started is
// not called live, and that its header has the sign of an error once, with a word.
func TestNeverStartedLive(t *testing.T) {
	written := panetest.New(t)
	written.Proc(1, session.Proc{Event: "failed", Err: `starting "pyhton": command not found in PATH`})
	s := show(t, 100, 30, screen.Options{}, serverOf(written, "pyhton server.py"))
	s.WaitFor(func(screen string) bool {
		head, _, _ := strings.Cut(screen, "\n")
		return strings.Contains(head, "✖ not started") && strings.Count(head, "✖") == 1 && !strings.Contains(head, "● live")
	})
}
