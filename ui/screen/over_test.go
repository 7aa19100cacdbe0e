package screen_test

import (
	"strings"
	"testing"

	"wiretea/session"
	"wiretea/ui/panetest"
	"wiretea/ui/screen"
)

// TestOver holds that a session which was watched says how it ended, and stays.
func TestOver(t *testing.T) {
	for _, c := range []struct {
		name string
		ends func(s *panetest.Session)
		want []string
	}{
		{"its input was closed", func(s *panetest.Session) { over(s) },
			[]string{"■ over", "The server exited with code 0 at 10:00:06, 2.00 ms after its stdin was closed."}},
		{"by itself", func(s *panetest.Session) { s.Proc(5000, session.Proc{Event: "exit", Code: 3}); s.End() },
			[]string{"■ over", "The server exited with code 3 at 10:00:05, by itself, while its input was open."}},
		{"by the client", func(s *panetest.Session) {
			s.Proc(5000, session.Proc{Event: "signal", Signal: "SIGTERM", By: "client"})
			s.Proc(5010, session.Proc{Event: "exit", Code: -1, Signal: "SIGTERM"})
			s.End()
		}, []string{"■ over", "The server was ended by SIGTERM at 10:00:05, sent by the client."}},
		{"by nobody known", func(s *panetest.Session) {
			s.Proc(5010, session.Proc{Event: "exit", Code: -1, Signal: "SIGSEGV"})
			s.End()
		},
			[]string{"■ over", "The server was ended by SIGSEGV at 10:00:05, a signal that did not come through wiretea."}},
		{"broken off", nil, []string{"◌ broken off", "The session broke off at 10:00:04: the process was killed, the recorder failed"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			written := talk(t)
			a := attachedTo(written, "node server.js")
			s := show(t, 120, 30, screen.Options{}, a.Source())
			s.WaitText("● live")
			s.WaitText("3.4 s") // the timer of the request that waits
			if c.ends != nil {
				c.ends(written)
				a.more()
			} else {
				a.breakOff()
			}
			for _, want := range c.want {
				s.WaitText(want)
			}
			waitGone(s, "⠼")
			s.Type(":send ping\r")
			s.WaitText("the session is over")
			s.Keys("g")
			waitRow(s, "server started")
			sane(t, s)
		})
	}
}

// TestNotTransparent holds that the header says when something of ours is in the
// way, also while the display is held, and that it stops saying so.
func TestNotTransparent(t *testing.T) {
	written := talk(t)
	src := sourceOf(written, "node server.js")
	s := show(t, 80, 24, screen.Options{}, src)
	s.WaitText("● live")
	waitGone(s, "NOT TRANSPARENT")
	s.Keys("p")
	s.WaitText("paused")
	written.Injected(4100, `{"jsonrpc":"2.0","id":"wiretea-a-1","method":"tools/list"}`)
	src.more()
	s.WaitText("⚠ NOT TRANSPARENT")
	s.Resize(30, 10)
	s.WaitText("⚠ NOT TRANSPARENT")
	written.Taken(4110, `{"jsonrpc":"2.0","id":"wiretea-a-1","result":{"tools":[]}}`)
	src.more()
	waitGone(s, "NOT TRANSPARENT")
	s.Resize(80, 24)
	s.Keys("p")
	s.WaitFor(func(screen string) bool {
		return strings.Contains(screen, "↦  tools/list  injected") && strings.Contains(screen, "⇤  tools/list  taken out")
	})
	s.Type(":filter is:injected\r")
	s.WaitText("2 of ")
}

// TestNotTransparentEnds holds that a tee that was killed is in nobody's way, although
// its record ends with something of ours that has no answer.
func TestNotTransparentEnds(t *testing.T) {
	written := talk(t)
	written.Injected(4100, `{"jsonrpc":"2.0","id":"wiretea-a-1","method":"tools/list"}`)
	a := attachedTo(written, "node server.js")
	s := show(t, 80, 24, screen.Options{}, a.Source())
	s.WaitText("⚠ NOT TRANSPARENT")
	s.WaitText("2025-11-25 legacy") // the program's name has given way to it
	a.breakOff()
	s.WaitText("◌ broken off")
	waitGone(s, "NOT TRANSPARENT")
}
