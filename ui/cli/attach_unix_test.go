//go:build unix

package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"wiretea/recorder"
	"wiretea/recorder/capture"
	"wiretea/recorder/inventory"
	"wiretea/ui/cli/attach"
	"wiretea/ui/cli/term"
	"wiretea/ui/termtest"
)

// startWatched starts a tee on an echo that records into a folder, and sends it a
// line.
func startWatched(t *testing.T, dir, name string) *peered {
	t.Helper()
	p := startPeer(t, peerOptions{}, "wiretea", "tee", "--sessions", dir, "--name", name, "--", "cat")
	p.ping(1)
	p.file = awaitLive(t, filepath.Join(dir, "*-"+name+"-*"+recorder.Suffix))
	return p
}

// ping sends a notification that comes back.
func (p *peered) ping(n int) {
	p.t.Helper()
	if _, err := fmt.Fprintf(p.in, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/n%d\"}\n", n); err != nil {
		p.t.Fatal(err)
	}
	p.line()
}

// TestAttachChooses names sessions in every way there is.
func TestAttachChooses(t *testing.T) {
	dir := t.TempDir()
	if got := inProcess(t.Context(), "attach", "--plain", "--sessions", dir); got.code != term.ExitUsage || !strings.Contains(got.err, "no session is live") {
		t.Errorf("%v", got)
	}
	gone := startWatched(t, dir, "gone")
	if got := gone.talk([]byte{}); got.code != 0 {
		t.Errorf("%+v", got)
	}
	one := startWatched(t, dir, "one")
	two := startWatched(t, dir, "two")
	got := inProcess(t.Context(), "attach", "--list", "--json", "--sessions", dir)
	var list []inventory.Live
	if err := json.Unmarshal([]byte(got.out), &list); err != nil || len(list) != 2 {
		t.Fatalf("%v\n%v", err, got)
	}
	for _, l := range list {
		p := map[string]*peered{"one": one, "two": two}[l.Server]
		if p == nil || l.Tee != p.cmd.Process.Pid || l.Client != os.Getpid() || l.PID == 0 || l.Path != p.file || l.Mode != "tee" {
			t.Errorf("%+v", l)
		}
	}
	live, err := capture.LiveSessions(dir)
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	fromHere, err := filepath.Rel(here, one.file)
	if err != nil {
		t.Fatal(err)
	}
	if path, err := attach.Choose(nil, "attach_unix_test.go", dir); err != nil || path != "attach_unix_test.go" {
		t.Errorf("a file in this folder: %q, %v", path, err) // What it is, its reader says.
	}
	if path, err := attach.Choose(live, fromHere, dir); err != nil || path != fromHere {
		t.Errorf("%s: %q, %v", fromHere, path, err)
	}
	for _, word := range []string{"one", recorder.SessionName(one.file), filepath.Base(one.file), one.file, strconv.Itoa(one.cmd.Process.Pid)} {
		if path, err := attach.Choose(live, word, dir); err != nil || path != one.file {
			t.Errorf("%s: %q, %v", word, path, err)
		}
	}
	for word, want := range map[string]string{"": "2 sessions are live", strconv.Itoa(os.Getpid()): "2 sessions are live", recorder.SessionName(gone.file): "no live session"} {
		if _, err := attach.Choose(live, word, dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", word, err)
		}
	}
}

// TestAttachFollows prints a session from its first byte while it goes on, and says
// how it ended.
func TestAttachFollows(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		sig  syscall.Signal
		want string
	}{
		"end":    {0, "server exited with code 0"},
		"killed": {syscall.SIGKILL, "incomplete"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			p := startWatched(t, dir, "echo")
			viewer := startProgram(t, "attach", "--plain", "--sessions", dir)
			viewer.await("notifications/n1")
			for n := 2; n < 5; n++ {
				p.ping(n)
				viewer.await(fmt.Sprintf("notifications/n%d", n))
			}
			if tt.sig != 0 {
				if err := p.cmd.Process.Signal(tt.sig); err != nil {
					t.Fatal(err)
				}
			}
			p.talk([]byte{})
			if got := viewer.wait(); got.code != term.ExitFine || !strings.Contains(got.out+got.err, tt.want) {
				t.Errorf("want %q in %v", tt.want, got)
			}
		})
	}
}

// TestAttachScreen watches a session on the full screen, past its end.
func TestAttachScreen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := startWatched(t, dir, "echo")
	pty, err := termtest.StartPty(120, 40, termtest.Options{Sync: true}, []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}, "wiretea", "attach", "--sessions", dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pty.UntilText(patience, "notifications/n1"); err != nil {
		t.Fatal(err)
	}
	p.ping(2)
	if _, err := pty.UntilText(patience, "notifications/n2"); err != nil {
		t.Fatal(err)
	}
	p.talk([]byte{})
	if _, err := pty.UntilText(patience, "exited"); err != nil {
		t.Error(err)
	}
	if err := pty.Quit(); err != nil {
		t.Error(err)
	}
}
