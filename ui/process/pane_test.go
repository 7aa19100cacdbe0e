package process_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"wiretea/session"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
	"wiretea/ui/process"
	"wiretea/ui/style"
)

// Times of day in golden files are those of T0's zone.
func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

// restarted is a server that crashed, was started again, and runs.
func restarted(t testing.TB) *panetest.Session {
	s := panetest.New(t)
	h := s.Header()
	h.Cmd = []string{"npx", "-y", "@modelcontextprotocol/server-everything", "--name", "it's mine"}
	h.EnvKeys = []string{"API_KEY", "PATH"}
	h.Limits.Timeouts = map[string]time.Duration{"tools/call": 2 * time.Minute}
	s.Proc(1, session.Proc{Event: "start", PID: 4711, FDs: []string{"pipe", "pipe", "pipe"}})
	s.Stderr(2, "Starting default (STDIO) server...")
	s.Client(3, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"wiretea","version":"0.1.0"}}}`)
	s.Server(44.5, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"everything","version":"2.0.0","title":"Everything server"}}}`)
	for i := range 30 {
		s.Stderr(50+float64(i), fmt.Sprintf("line \x1b[3%dm%d", i%8, i))
	}
	s.Proc(100, session.Proc{Event: "exit", Code: 3})
	s.IO(101, session.S2C, session.IOEvent{Event: "eof", Side: "server"})
	s.Proc(102, session.Proc{Event: "orphans", PIDs: []int{4712, 4713}})
	s.Conn(2)
	s.Proc(2000, session.Proc{Event: "start", PID: 4800, FDs: []string{"pipe", "pipe", "file"}})
	s.Client(2003, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"wiretea","version":"0.1.0"}}}`)
	s.Stderr(2004, "starting again")
	return s
}

func open(t testing.TB, s *panetest.Session) (*process.Pane, *pane.Context) {
	t.Helper()
	p, c := process.New(), s.Context()
	panetest.Tell(t, p, c, pane.MovedMsg{})
	return p, c
}

func TestView(t *testing.T) {
	for _, size := range []struct{ w, h int }{{20, 60}, {60, 70}, {120, 80}, {80, 10}} {
		t.Run(fmt.Sprintf("%dx%d", size.w, size.h), func(t *testing.T) {
			p, c := open(t, restarted(t))
			panetest.Golden(t, fmt.Sprintf("%dx%d", size.w, size.h), panetest.Text(t, p, c, size.w, size.h))
		})
	}
	p, c := open(t, restarted(t))
	panetest.Sizes(t, p, c)
	c.Theme = style.New("", true, false)
	left, right := p.Title(c)
	panetest.Golden(t, "styled", strings.ReplaceAll(left+"|"+right+"\n"+strings.Join(p.View(c, 80, 16, true), "\n"), "\x1b", "␛"))
}

func TestEmpty(t *testing.T) {
	p, c := open(t, panetest.New(t))
	c.Header = nil
	panetest.Golden(t, "empty", panetest.Text(t, p, c, 40, 3))
	panetest.Sizes(t, p, c)
	if p.Disabled(c, keys.CopyValue) == "" {
		t.Error("there is something to copy")
	}
	if got := panetest.Do(t, p, c, keys.CopyValue, keys.Enter, keys.Down, keys.Bottom); len(got) != 0 {
		t.Errorf("asked for %v", got)
	}
}

func TestCopy(t *testing.T) {
	p, c := open(t, restarted(t))
	want := pane.CopyMsg{What: "command line", Text: `npx -y @modelcontextprotocol/server-everything --name 'it'\''s mine'`}
	if got := panetest.Do(t, p, c, keys.CopyValue); len(got) != 1 || got[0] != want {
		t.Errorf("copied %v", got)
	}
}

func TestScroll(t *testing.T) {
	p, c := open(t, restarted(t))
	first := panetest.Text(t, p, c, 80, 10)
	panetest.Do(t, p, c, keys.Bottom)
	last := panetest.Text(t, p, c, 80, 10)
	if !strings.Contains(first, "npx") || strings.Contains(last, "npx") || !strings.Contains(last, "line ␛[35m29") {
		t.Errorf("top:\n%s\nbottom:\n%s", first, last)
	}
	panetest.Tell(t, p, c, pane.WheelMsg{Lines: -1000})
	if panetest.Text(t, p, c, 80, 10) != first {
		t.Error("the wheel does not go back to the top")
	}
}

// What happens while the page is open shows.
func TestLive(t *testing.T) {
	s := panetest.New(t)
	s.Proc(1, session.Proc{Event: "start", PID: 1, FDs: []string{"pipe", "pipe", "pipe"}})
	s.Stderr(2, "first words")
	p, c := open(t, s)
	shows := func(words ...string) {
		t.Helper()
		text := panetest.Text(t, p, c, 100, 40)
		for _, w := range words {
			if !strings.Contains(text, w) {
				t.Errorf("%q is not in\n%s", w, text)
			}
		}
	}
	shows("running, up", "first words")
	s.Stderr(3, "last words")
	s.IO(4, session.C2S, session.IOEvent{Event: "eof", Side: "client"})
	s.Proc(5, session.Proc{Event: "signal", Signal: "SIGTERM", By: "us"})
	s.Proc(9, session.Proc{Event: "exit", Code: -1, Signal: "SIGTERM"})
	s.Update(c)
	panetest.Tell(t, p, c, pane.MovedMsg{})
	shows("ended by SIGTERM after 8.00 ms", "SIGTERM sent by wiretea", "last words", "stdin: end of file (client)")
}

func TestHowItEnded(t *testing.T) {
	for words, do := range map[string]func(s *panetest.Session){
		"by itself, while its stdin was open": func(s *panetest.Session) { s.Proc(9, session.Proc{Event: "exit", Code: 1}) },
		"by itself, 5.00 ms after its stdin was closed": func(s *panetest.Session) {
			s.IO(4, session.C2S, session.IOEvent{Event: "eof", Side: "client"})
			s.Proc(9, session.Proc{Event: "exit"})
		},
		"by a signal that was not ours": func(s *panetest.Session) { s.Proc(9, session.Proc{Event: "exit", Code: -1, Signal: "SIGSEGV"}) },
	} {
		s := panetest.New(t)
		s.Proc(1, session.Proc{Event: "start", PID: 1})
		do(s)
		p, c := open(t, s)
		if text := panetest.Text(t, p, c, 100, 40); !strings.Contains(text, words) {
			t.Errorf("%q is not in\n%s", words, text)
		}
	}
}

func TestCouldNotBeStarted(t *testing.T) {
	s := panetest.New(t)
	s.Proc(1, session.Proc{Event: "failed", Err: "exec: \"nod\x1be\": not found"})
	p, c := open(t, s)
	if text := panetest.Text(t, p, c, 80, 20); !strings.Contains(text, `✖ could not be started: exec: "nod␛e": not found`) {
		t.Errorf("shown is\n%s", text)
	}
}

// A server that is started again and again costs no more than what is shown.
func TestManyConnections(t *testing.T) {
	s := panetest.New(t)
	for i := range 300 {
		s.Conn(i + 1)
		s.Proc(float64(2*i), session.Proc{Event: "start", PID: 100 + i})
		s.Stderr(float64(2*i), fmt.Sprintf("words of %d", i+1))
		s.Proc(float64(2*i+1), session.Proc{Event: "exit", Code: 1})
	}
	p, c := open(t, s)
	text := panetest.Text(t, p, c, 100, 400)
	for _, words := range []string{"connection 300 ", "words of 300", "words of 290", "and 284 connections before these"} {
		if !strings.Contains(text, words) {
			t.Errorf("%q is not in\n%s", words, text)
		}
	}
}

func BenchmarkView(b *testing.B) {
	p, c := open(b, restarted(b))
	b.ReportAllocs()
	for b.Loop() {
		c.Now += 1e9
		p.View(c, 200, 60, true)
	}
}

// TestCommandOfTheTour holds that the tour's command, which is that of its first connection
// only, is said to be.
func TestCommandOfTheTour(t *testing.T) {
	s := panetest.New(t)
	s.Header().Cmd = []string{"wiretea", "demo", "--server", "healthy"}
	for i := range 2 {
		s.Conn(i + 1)
		s.Proc(float64(10*i), session.Proc{Event: "start", PID: 100 + i})
		p, c := open(t, s)
		if text := panetest.Text(t, p, c, 100, 40); strings.Contains(text, "the command of connection 1") != (i > 0) {
			t.Errorf("%d connections:\n%s", i+1, text)
		}
	}
}
