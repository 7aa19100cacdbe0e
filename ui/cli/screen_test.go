//go:build unix

package cli

import (
	"errors"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"wiretea/ui/cli/term"
	"wiretea/ui/termtest"
)

// onScreen runs a program in a pseudo-terminal of 110 columns and 34 rows.
func onScreen(t *testing.T, env []string, argv ...string) *termtest.Pty {
	t.Helper()
	path, err := exec.LookPath(argv[0])
	if err != nil {
		t.Fatal(err)
	}
	env = append([]string{"HOME=" + t.TempDir(), "PS1=shell> "}, env...)
	p, err := termtest.StartPty(110, 34, termtest.Options{Sync: true}, env, append([]string{path}, argv[1:]...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p.Cmd.ProcessState == nil {
			_ = p.Wait(time.Millisecond)
		}
	})
	return p
}

// see waits until a text is shown.
func see(t *testing.T, p *termtest.Pty, text string) {
	t.Helper()
	if _, err := p.UntilText(patience, text); err != nil {
		t.Fatal(err)
	}
}

func pressAll(t *testing.T, p *termtest.Pty, keys ...string) {
	t.Helper()
	if err := p.Keys(keys...); err != nil {
		t.Fatal(err)
	}
}

// left waits until the program has ended and returns its exit code. It checks
// that the terminal is as it was.
func left(t *testing.T, p *termtest.Pty) int {
	t.Helper()
	err := p.Wait(patience)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	p.Look(func(term *termtest.Terminal) { asBefore(t, term) })
	return p.Cmd.ProcessState.ExitCode()
}

// asBefore checks that a terminal is as programs find it.
func asBefore(t *testing.T, term *termtest.Terminal) {
	t.Helper()
	if _, _, shown := term.Cursor(); !shown || term.AltScreen() {
		t.Errorf("the terminal is left with its cursor %t, the alternate screen %t:\n%s", shown, term.AltScreen(), term)
	}
	for _, mode := range term.Modes() {
		if mode != 7 && mode != 25 {
			t.Errorf("the terminal is left in mode %d", mode)
		}
	}
	if u := term.Unknown(); len(u) > 0 {
		t.Errorf("the terminal does not understand %q", u)
	}
}

var pidShown = regexp.MustCompile(`pid (\d+)`)

// serverPid is the server's process, as the screen's header gives it.
func serverPid(t *testing.T, p *termtest.Pty) int {
	t.Helper()
	pid := 0
	_, err := p.Until(patience, func(term *termtest.Terminal) bool {
		if found := pidShown.FindStringSubmatch(term.Screen()[0]); found != nil {
			pid, _ = strconv.Atoi(found[1])
		}
		return pid > 0
	})
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

var runHealthy = []string{"wiretea", "run", "--no-record", "--", "wiretea", "demo", "--server", "healthy"}

// aRecording makes a recording.
func aRecording(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "healthy.mcpcap.jsonl")
	o := wiretea(t, "", "run", "--plain", "--record", path, "--send", `tools/call {"name":"echo","arguments":{"message":"hi there"}}`, "--", "wiretea", "demo", "--server", "healthy")
	if o.code != term.ExitFine {
		t.Fatal(o)
	}
	return path
}

func TestScreenRun(t *testing.T) {
	t.Parallel()
	p := onScreen(t, nil, runHealthy...)
	see(t, p, "server/discover")
	see(t, p, "● live")
	if _, err := p.Until(patience, func(term *termtest.Terminal) bool {
		return strings.Contains(term.Title(), "wiretea demo --server healthy") && term.AltScreen()
	}); err != nil {
		t.Error(err)
	}
	pid := serverPid(t, p)
	if err := p.Typed(":send tools/call {\"name\":\"echo\",\"arguments\":{\"message\":\"hi\"}}\r"); err != nil {
		t.Fatal(err)
	}
	see(t, p, "call  echo")
	pressAll(t, p, "ctrl+c")
	see(t, p, "leave?")
	pressAll(t, p, "n", "q")
	see(t, p, "leave?")
	pressAll(t, p, "y")
	if code := left(t, p); code != term.ExitFine {
		t.Errorf("exit code %d", code)
	}
	p.Look(func(term *termtest.Terminal) {
		if !strings.Contains(term.String(), "server exited with code 0") {
			t.Errorf("nothing says how it ended:\n%s", term)
		}
	})
	wantGone(t, pid)
}

func TestScreenOpen(t *testing.T) {
	t.Parallel()
	p := onScreen(t, nil, "wiretea", "open", aRecording(t))
	see(t, p, "call  echo")
	see(t, p, "■ recording")
	p.Look(func(term *termtest.Terminal) { term.Resize(150, 50) })
	if err := pty.Setsize(p.Tty, &pty.Winsize{Rows: 50, Cols: 150}); err != nil {
		t.Fatal(err)
	}
	_, err := p.Until(patience, func(term *termtest.Terminal) bool {
		text, _ := term.Cell(149, 1)
		return text == "╮"
	})
	if err != nil {
		t.Fatal(err)
	}
	pressAll(t, p, "/")
	if err := p.Typed("hi there\r"); err != nil {
		t.Fatal(err)
	}
	see(t, p, "hit 1 of 2")
	pressAll(t, p, "q", "q", "q")
	if code := left(t, p); code != term.ExitFine {
		t.Errorf("exit code %d", code)
	}
}

// TestScreenNone holds that where there can be no screen the lines are printed,
// and that it is said.
func TestScreenNone(t *testing.T) {
	t.Parallel()
	file := aRecording(t)
	if o := wiretea(t, "", "open", file); o.code != term.ExitFine || !strings.Contains(o.out, "tools/call") || !strings.Contains(o.err, "not a terminal") {
		t.Error(o)
	}
	p := onScreen(t, []string{"TERM=dumb"}, "wiretea", "open", file)
	if code := left(t, p); code != term.ExitFine {
		t.Errorf("exit code %d", code)
	}
	p.Look(func(term *termtest.Terminal) {
		if text := term.String(); !strings.Contains(text, "the terminal is dumb") || !strings.Contains(text, "tools/call") || term.Title() != "" {
			t.Errorf("a dumb terminal shows:\n%s", text)
		}
	})
}

// TestScreenSuspend holds that ctrl-z goes back to the shell, that the server
// does not notice, and that fg comes back.
func TestScreenSuspend(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash")
	}
	p := onScreen(t, nil, "bash", "--norc", "--noprofile", "-i")
	see(t, p, "shell>")
	if err := p.Typed(strings.Join(runHealthy, " ") + "\r"); err != nil {
		t.Fatal(err)
	}
	see(t, p, "● live")
	pid := serverPid(t, p)
	for range 2 {
		pressAll(t, p, "ctrl+z")
		_, err := p.Until(patience, func(term *termtest.Terminal) bool {
			return !term.AltScreen() && strings.Contains(term.String(), "Stopped")
		})
		if err != nil {
			t.Fatal(err)
		}
		p.Look(func(term *termtest.Terminal) {
			if _, _, shown := term.Cursor(); !shown || term.Mode(1002) {
				t.Errorf("the shell has the cursor %t, modes %v", shown, term.Modes())
			}
		})
		if err := syscall.Kill(pid, 0); err != nil {
			t.Errorf("the server is gone: %v", err)
		}
		if err := p.Typed("fg\r"); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Until(patience, func(term *termtest.Terminal) bool {
			return term.AltScreen() && strings.Contains(term.String(), "● live")
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Typed(":send tools/list\r"); err != nil {
		t.Fatal(err)
	}
	see(t, p, "tools/list")
	pressAll(t, p, "ctrl+c")
	see(t, p, "leave?")
	pressAll(t, p, "y")
	if _, err := p.Until(patience, func(term *termtest.Terminal) bool {
		return !term.AltScreen() && strings.Contains(term.String(), "server exited with code 0")
	}); err != nil {
		t.Fatal(err)
	}
	wantGone(t, pid)
	if err := p.Typed("exit\r"); err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(patience); err != nil {
		t.Error(err)
	}
}

// TestScreenSignals holds that whoever ends the program by a signal, or closes
// the terminal, ends the server too.
func TestScreenSignals(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			p := onScreen(t, nil, runHealthy...)
			see(t, p, "● live")
			pid := serverPid(t, p)
			if err := p.Cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			left(t, p)
			wantGone(t, pid)
		})
	}
	t.Run("closed terminal", func(t *testing.T) {
		t.Parallel()
		p := onScreen(t, nil, runHealthy...)
		see(t, p, "● live")
		pid := serverPid(t, p)
		p.Tty.Close()
		if err := p.Wait(patience); errors.Is(err, termtest.ErrPtyLate) {
			t.Error("the program goes on without a terminal")
		}
		wantGone(t, pid)
	})
	t.Run("stopped reading", func(t *testing.T) {
		t.Parallel()
		// A server that ignores everything is killed, in the end.
		p := onScreen(t, nil, "wiretea", "run", "--no-record", "--shutdown-grace", "300ms", "--", "wiretea", "demo", "--server", "ignores-sigterm")
		see(t, p, "● live")
		pid := serverPid(t, p)
		pressAll(t, p, "ctrl+c")
		see(t, p, "leave?")
		pressAll(t, p, "y")
		left(t, p)
		wantGone(t, pid)
	})
}
