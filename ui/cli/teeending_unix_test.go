//go:build unix

package cli

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"wiretea/session"
	"wiretea/ui/cli/term"
)

// TestTeeForwardsSignals sends each signal twice: the server says which it got, and
// then exits in its own way.
func TestTeeForwardsSignals(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			p := startTee(t, peerOptions{}, "teepeer", "signals")
			p.line()
			p.cmd.Process.Signal(sig)
			if got := p.line(); got != sig.String() {
				t.Errorf("the server got %q", got)
			}
			p.cmd.Process.Signal(sig)
			if got := p.talk(nil); got.code != 40+int(sig) || got.err != "" {
				t.Errorf("%+v", got)
			}
			var seen int
			for _, r := range recording(t, p.file) {
				if r.Kind == session.RecProc && r.Proc.Event == "signal" && r.Proc.By == "client" {
					seen++
				}
			}
			if seen != 2 {
				t.Errorf("%d signals are recorded", seen)
			}
		})
	}
	t.Run("default", func(t *testing.T) {
		t.Parallel()
		p := startTee(t, peerOptions{}, "sh", "-c", "echo ready; exec sleep 60")
		p.line()
		p.cmd.Process.Signal(syscall.SIGTERM)
		if got := p.talk(nil); got.signal != syscall.SIGTERM {
			t.Errorf("%+v", got)
		}
	})
	t.Run("ignored", func(t *testing.T) {
		t.Parallel()
		p := startTee(t, peerOptions{}, "teepeer", "stubborn")
		p.line()
		p.cmd.Process.Signal(syscall.SIGTERM)
		awaitRecord(t, p.file, func(r *session.Record) bool { return r.Kind == session.RecProc && r.Proc.Event == "signal" })
		if got := p.talk([]byte("x")); got.code != 9 || got.out != "bye\n" {
			t.Errorf("%+v", got)
		}
	})
}

// TestTeeIsKilled kills a tee, and the group it is in. The server ends, and the
// file can be read.
func TestTeeIsKilled(t *testing.T) {
	for _, group := range []bool{false, true} {
		t.Run(fmt.Sprint(group), func(t *testing.T) {
			t.Parallel()
			server := []string{"sh", "-c", "echo ready; cat"}
			if group {
				server = []string{"sh", "-c", "trap '' TERM HUP; echo ready; sleep 600; sleep 600"}
			}
			p := startTee(t, peerOptions{group: group}, server...)
			p.line()
			awaitRecord(t, p.file, func(r *session.Record) bool { return r.Kind == session.RecFrame })
			pid := p.cmd.Process.Pid
			if group {
				pid = -pid
			}
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			if got := p.rest(); got.signal != syscall.SIGKILL {
				t.Errorf("%+v", got)
			}
			p.wantDead()
			for _, r := range recording(t, p.file) {
				if r.Kind == session.RecEnd {
					t.Error("there is an end record")
				}
			}
			got := inProcess(t.Context(), "open", "--plain", p.file)
			if got.code != term.ExitFine || !strings.Contains(got.err, "is incomplete") || !strings.Contains(got.out, "ready") {
				t.Errorf("%v", got)
			}
		})
	}
}

// processEvents are the records of the server's process, a line each.
func processEvents(t *testing.T, file string) string {
	t.Helper()
	var b strings.Builder
	for _, r := range recording(t, file) {
		if r.Kind == session.RecProc {
			fmt.Fprintln(&b, r.Proc.Event, r.Proc.Signal)
		}
	}
	return b.String()
}

// TestTeeLeftovers lets a server leave processes in the client's group: they are recorded
// and left, the client hears of the exit soon, and nothing is sent to them.
func TestTeeLeftovers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		server string
		open   bool // open: the client's end of stdin stays open.
	}{
		"holds stdout":       {server: "sleep 600 3>&- & echo $!; exit 3"},
		"holds stdout, open": {server: "sleep 600 3>&- & echo $!; exit 3", open: true},
		"holds nothing":      {server: "sleep 600 </dev/null >/dev/null 2>&1 3>&- & echo $!; exit 3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := startTee(t, peerOptions{}, "sh", "-c", tt.server)
			pid, err := strconv.Atoi(p.line())
			if err != nil {
				t.Fatal(err)
			}
			defer syscall.Kill(pid, syscall.SIGKILL)
			if !tt.open {
				p.in.Close()
			}
			if got := p.wait(); got.code != 3 {
				t.Errorf("%+v", got)
			}
			if err := syscall.Kill(pid, 0); err != nil {
				t.Errorf("what the server left is gone: %v", err)
			}
			seen := processEvents(t, p.file)
			if !strings.Contains(seen, "orphans") && runtime.GOOS == "linux" || strings.Contains(seen, "signal") {
				t.Errorf("recorded:\n%s", seen)
			}
		})
	}
	t.Run("ends by itself", func(t *testing.T) {
		t.Parallel()
		// It has a grace, which a busy machine may use up: once it must do.
		for range 20 {
			p := startTee(t, peerOptions{}, "sh", "-c", "exec 4<&0; (read x <&4; echo last) & echo first; exit 3")
			p.line()
			awaitRecord(t, p.file, func(r *session.Record) bool { return r.Kind == session.RecProc && r.Proc.Event == "exit" })
			p.in.WriteString("go\n") // it may be too late
			got := p.talk(nil)
			p.wantDead()
			seen := processEvents(t, p.file)
			if strings.Contains(seen, "orphans") {
				continue
			}
			if got.code != 3 || got.out != "last\n" {
				t.Errorf("last words are lost: %+v, recorded:\n%s", got, seen)
			}
			return
		}
		t.Error("what ends by itself is ended")
	})
	t.Run("goes its own way", func(t *testing.T) {
		t.Parallel()
		p := startTee(t, peerOptions{}, "sh", "-c", "setsid sh -c 'echo $$; exec sleep 600 </dev/null >/dev/null 2>&1 3>&-' & wait $!; exit 4")
		pid, err := strconv.Atoi(p.line())
		if err != nil {
			t.Fatal(err)
		}
		defer syscall.Kill(pid, syscall.SIGKILL)
		p.cmd.Process.Signal(syscall.SIGTERM)
		if got := p.talk(nil); got.signal != syscall.SIGTERM {
			t.Errorf("%+v", got)
		}
		if err := syscall.Kill(pid, 0); err != nil {
			t.Errorf("a process of its own session is gone: %v", err)
		}
	})
}
