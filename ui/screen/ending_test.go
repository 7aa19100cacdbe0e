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
