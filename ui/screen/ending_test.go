package screen_test

import (
	"errors"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/panetest"
	"wiretea/ui/screen"
)

// TestQuit holds that a live server is not ended unasked, and a recording is left
// at once.
func TestQuit(t *testing.T) {
	t.Run("live", func(t *testing.T) {
		server := serverOf(talk(t), "node server.js")
		s := show(t, 100, 30, screen.Options{}, server)
		s.WaitText("traffic")
		s.Keys("ctrl+c")
		s.WaitText("leave?")
		s.Keys("n")
		s.WaitFor(func(screen string) bool { return !strings.Contains(screen, "leave?") })
		select {
		case <-server.closing:
			t.Error("the server was ended although the answer was no")
		default:
		}
		s.Keys("q")
		s.WaitText("leave?")
		s.Keys("y")
		if _, err := s.WaitEnd(); err != nil {
			t.Error(err)
		}
		<-server.closing
		restored(t, s)
	})
	t.Run("stubborn", func(t *testing.T) {
		server := serverOf(talk(t), "node server.js")
		server.stubborn = true
		s := show(t, 100, 30, screen.Options{}, server)
		s.WaitText("traffic")
		s.Keys("ctrl+c", "y")
		s.WaitText("ctrl-c kills it")
		<-server.closing
		s.Keys("ctrl+c")
		if _, err := s.WaitEnd(); err != nil {
			t.Error(err)
		}
		restored(t, s)
	})
	t.Run("recording", func(t *testing.T) {
		s := show(t, 100, 30, screen.Options{}, recording(t))
		s.WaitText("traffic")
		s.Keys("tab", "q", "q")
		if _, err := s.WaitEnd(); err != nil {
			t.Error(err)
		}
		restored(t, s)
	})
}

// A broken source panics where it is told to.
type broken struct {
	*scripted
	panics chan struct{} // panics is closed when it shall.
}

func (b *broken) Snapshot() *session.Snapshot {
	select {
	case <-b.panics:
		panic("broken on purpose")
	default:
		return b.scripted.Snapshot()
	}
}

// TestPanic holds that our own fault ends the program and gives the terminal
// back.
func TestPanic(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := os.Stderr
	os.Stderr = w
	defer func() { os.Stderr = stderr }()
	b := &broken{sourceOf(talk(t), "node server.js"), make(chan struct{})}
	s := show(t, 100, 30, screen.Options{}, b)
	s.WaitText("traffic")
	close(b.panics)
	b.wake <- struct{}{}
	if _, err := s.WaitEnd(); !errors.Is(err, tea.ErrProgramPanic) {
		t.Errorf("it ended with %v", err)
	}
	restored(t, s)
	w.Close()
	if said, err := io.ReadAll(r); err != nil || !strings.Contains(string(said), "broken on purpose") {
		t.Errorf("stderr has %q, %v", said, err)
	}
}

// A slow source is still being read.
type slow struct {
	*scripted
	read atomic.Bool
}

func (s *slow) Reading() bool { return !s.read.Load() }

// TestReading holds that a recording is not called broken off before its end has
// been read.
func TestReading(t *testing.T) {
	src := &slow{scripted: sourceOf(handshake(panetest.New(t)), "torn.mcpcap.jsonl")}
	src.ctx.Live = false
	s := show(t, 100, 30, screen.Options{}, src)
	s.WaitText("◌ reading")
	src.read.Store(true)
	src.wake <- struct{}{}
	s.WaitText("◌ broken off")
}

// TestEscapeStays holds that esc never leaves: neither a recording nor a server.
func TestEscapeStays(t *testing.T) {
	s := show(t, 100, 30, screen.Options{}, recording(t))
	s.WaitText("traffic")
	s.Keys("f")
	s.Type("m:initialize\r")
	s.WaitText("3 of 17")
	s.Keys("esc", "esc", "esc", "g")
	waitRow(s, "server started")
}

// TestQuestionPasses holds that a key that does not answer a question closes it and is not lost.
func TestQuestionPasses(t *testing.T) {
	server := serverOf(talk(t), "node server.js")
	s := show(t, 100, 30, screen.Options{}, server)
	s.WaitText("traffic")
	s.Keys("ctrl+c")
	s.WaitText("leave?")
	s.Type(":goto 7")
	s.WaitFor(func(screen string) bool {
		return strings.Contains(screen, ":goto 7") && !strings.Contains(screen, "leave?")
	})
}

// TestLeavesWithoutServer holds that no question is asked where no server runs.
func TestLeavesWithoutServer(t *testing.T) {
	written := panetest.New(t)
	written.Proc(1, session.Proc{Event: "failed", Err: `starting "pyhton": command not found in PATH`})
	s := show(t, 100, 30, screen.Options{}, serverOf(written, "pyhton"))
	s.WaitText("not started")
	s.Keys("q")
	if _, err := s.WaitEnd(); err != nil {
		t.Error(err)
	}
}

// TestNoticeGoes holds that a key takes a notice off the footer, and that esc does nothing
// else to an error.
func TestNoticeGoes(t *testing.T) {
	s := show(t, 100, 30, screen.Options{Filter: "m:initialize"}, recording(t))
	s.WaitText("3 of 17")
	s.Type(":nonsense\r")
	s.WaitText("unknown command")
	s.Keys("esc")
	s.WaitFor(func(screen string) bool {
		return !strings.Contains(screen, "unknown command") && strings.Contains(screen, "3 of 17")
	})
	s.Keys("!", "!")
	s.WaitText("findings hidden")
	s.Keys("j")
	s.WaitFor(func(screen string) bool { return !strings.Contains(screen, "findings hidden") })
	s.Type(":layout reset\r")
	s.WaitText("─ findings ─")
}

// TestRestartAsks holds that a server that runs is not restarted unasked.
func TestRestartAsks(t *testing.T) {
	s := show(t, 100, 30, screen.Options{}, serverOf(talk(t), "node server.js"))
	s.WaitText("traffic")
	s.Keys("R")
	s.WaitText("restart the server?")
	s.Keys("n")
	s.WaitFor(func(screen string) bool { return !strings.Contains(screen, "restart the server?") })
	s.Keys("R", "R")
	s.WaitText("restarting: it does not start")
}

// TestConnectAgain holds that a server at a URL is not said to be restarted.
func TestConnectAgain(t *testing.T) {
	s := show(t, 100, 30, screen.Options{}, serverOf(panetest.Trips(t), "http://localhost:3001/mcp"))
	s.WaitText("traffic")
	s.Keys("R")
	s.WaitText("connecting: it does not start")
}
