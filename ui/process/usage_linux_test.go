package process_test

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"wiretea/session"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
)

// TestUsage holds that the page shows the state of a server that was stopped, and nothing of
// a process that is not the session's.
func TestUsage(t *testing.T) {
	server := exec.Command("cat")
	in, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_, _ = server.Process.Kill(), in.Close()
		_ = server.Wait() // It was killed.
	}()
	if err := server.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if _, err := syscall.Wait4(server.Process.Pid, nil, syscall.WUNTRACED, nil); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		pid   int
		alter func(*pane.Context)
		want  bool
	}{
		{"ours", server.Process.Pid, func(*pane.Context) {}, true},
		{"not our child", os.Getpid(), func(*pane.Context) {}, false},
		{"a recording", server.Process.Pid, func(c *pane.Context) { c.Live = false }, false},
		{"an earlier moment", server.Process.Pid, func(c *pane.Context) { c.Past = true }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := panetest.New(t)
			s.Proc(1, session.Proc{Event: "start", PID: tt.pid})
			p, c := open(t, s)
			tt.alter(c)
			panetest.Tell(t, p, c, pane.ShownMsg{})
			_, title := p.Title(c)
			text := panetest.Text(t, p, c, 100, 40)
			for _, words := range []string{"⚠ stopped, up", "stopped, CPU time ", "resident memory "} {
				if strings.Contains(text, words) != tt.want {
					t.Errorf("%q: %v wanted in\n%s", words, tt.want, text)
				}
			}
			if strings.Contains(title, "stopped") != tt.want {
				t.Errorf("title %q", title)
			}
		})
	}
}
