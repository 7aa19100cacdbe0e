package leaving_test

import (
	"context"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/ui/config"
	"wiretea/ui/host"
	"wiretea/ui/intercept"
	"wiretea/ui/leaving"
	"wiretea/ui/overlay"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
	"wiretea/ui/source"
	"wiretea/ui/style"
)

// A screen keeps what is said and opened.
type screen struct {
	host.Screen
	tab  *host.Tab
	said string
	box  *overlay.Confirm
}

func (s *screen) Say(_ session.Severity, text string) tea.Cmd { s.said = text; return nil }
func (s *screen) Open(b overlay.Box)                          { s.box, _ = b.(*overlay.Confirm) }
func (s *screen) Current() *host.Tab                          { return s.tab }

// recorded is a session that is looked at.
type recorded struct{ ctx *pane.Context }

func (r recorded) Title() string               { return "a session" }
func (r recorded) Snapshot() *session.Snapshot { return r.ctx.Snap }
func (r recorded) Log() recorder.Log           { return r.ctx.Log }
func (r recorded) Now() int64                  { return r.ctx.Now }
func (r recorded) Live() bool                  { return r.ctx.Live }
func (r recorded) Wake() <-chan struct{}       { return nil }
func (r recorded) Path() string                { return "/sessions/a" }
func (r recorded) Reason() error               { return nil }

// A server is a source with a server of ours, which ends when it is given no more time.
type server struct {
	recorded
	source.Server
	closed chan struct{}
}

func (s server) Close(ctx context.Context) error { <-ctx.Done(); close(s.closed); return nil }

// home is where the sessions were opened from.
func home() tea.Msg { return "home" }

// leave returns a screen with one session, live or over, with a server of ours or without.
func leave(t *testing.T, live, ours bool) (*screen, *leaving.Leaving, server) {
	t.Helper()
	written := panetest.New(t)
	written.Proc(0, session.Proc{Event: "start", PID: 4711})
	if !live {
		written.Proc(5, session.Proc{Event: "exit"})
		written.End()
	}
	s, own := &screen{}, server{recorded: recorded{written.Context()}, closed: make(chan struct{})}
	var src source.Source = own.recorded
	if ours {
		src = own
	}
	s.tab = host.New(s, src, style.New("", true, true))
	var settings config.Settings
	place := intercept.New(s.tab, intercept.Of(&settings))
	return s, leaving.New(s, []leaving.Session{{Source: src, Place: place}}, home), own
}

// TestQuit holds when leaving asks, and where it leads.
func TestQuit(t *testing.T) {
	for name, c := range map[string]struct {
		live, ours, back bool
		asks             string // asks is what is asked, empty = nothing.
	}{
		"a recording":        {false, false, false, ""},
		"back":               {false, false, true, ""},
		"another's server":   {true, false, false, ""},
		"our server is over": {false, true, false, ""},
		"our server":         {true, true, false, "End the server and leave? The session is recorded."},
		"our server, back":   {true, true, true, "End the server and go home? The session is recorded."},
	} {
		s, l, own := leave(t, c.live, c.ours)
		cmd := l.Quit(c.back)
		if c.asks != "" {
			if s.box == nil || cmd != nil {
				t.Fatalf("%s: nothing is asked", name)
			}
			if text := strings.Join(s.box.View(style.New("", true, true), 76, 10), "\n"); !strings.Contains(text, c.asks) {
				t.Errorf("%s: asks\n%s\nwant %q", name, text, c.asks)
			}
			cmd = s.box.Do()
		} else if s.box != nil {
			t.Fatalf("%s: something is asked", name)
		}
		if !c.ours {
			ends(t, name, cmd, c.back)
			continue
		}
		if !l.Running() || !strings.Contains(l.Line(), "ending the server") {
			t.Errorf("%s: %q", name, l.Line())
		}
		if l.Key("q"); s.said != "" {
			t.Errorf("%s: q has done something: %q", name, s.said)
		}
		done := make(chan tea.Msg, 1)
		go func() { done <- cmd() }()
		if l.Key("ctrl+c"); s.said != "killing the server" {
			t.Errorf("%s: said %q", name, s.said)
		}
		<-own.closed
		ends(t, name, (<-done).(host.OwnMsg).Take(), c.back)
	}
}

// ends checks that a command ends the program, or goes back.
func ends(t *testing.T, name string, cmd tea.Cmd, back bool) {
	t.Helper()
	msg := cmd()
	if back {
		if msg != "home" {
			t.Errorf("%s: %#v, want home", name, msg)
		}
		return
	}
	if p, is := msg.(pane.ProgramMsg); !is || p.Cmd() != tea.Quit() {
		t.Errorf("%s: %#v, want the program's end", name, msg)
	}
}
