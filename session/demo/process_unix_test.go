//go:build unix

package demo

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// startProcess runs a behaviour as a process of its own. stderr gives its lines.
func startProcess(t *testing.T, name string) (cmd *exec.Cmd, stdin io.WriteCloser, stdout io.Reader, stderr *bufio.Reader) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(self, "demo", "--server", name)
	// Pipes of our own: those of exec.Cmd make Wait wait for their end.
	inR, inW := pipe(t)
	outR, outW := pipe(t)
	errR, errW := pipe(t)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = inR, outW, errW
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	inR.Close()
	outW.Close()
	errW.Close()
	return cmd, inW, outR, bufio.NewReader(errR)
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

// TestChildrenLeftBehind holds what the two behaviours with children leave: a
// living process, that holds stdout open or does not.
func TestChildrenLeftBehind(t *testing.T) {
	for _, c := range []struct {
		name       string
		holds, own bool // own: the child has a session of its own.
	}{
		{name: "orphan-process"},
		{name: "holds-stdout", holds: true, own: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd, stdin, stdout, stderr := startProcess(t, c.name)
			line, err := stderr.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			var child int
			if _, err := fmt.Sscanf(line, "started child %d", &child); err != nil {
				t.Fatalf("stderr %q: %v", line, err)
			}
			stdin.Close()
			if err := cmd.Wait(); err != nil {
				t.Fatalf("server: %v", err)
			}
			if err := syscall.Kill(child, 0); err != nil {
				t.Errorf("child %d is gone: %v", child, err)
			}
			group, err := syscall.Getpgid(child)
			if err != nil {
				t.Fatal(err)
			}
			if own := group == child; own != c.own {
				t.Errorf("child in its own group: %v, want %v", own, c.own)
			}
			ended := make(chan error, 1)
			go func() {
				_, err := io.Copy(io.Discard, stdout)
				ended <- err
			}()
			if !c.holds {
				if err := <-ended; err != nil {
					t.Errorf("reading stdout: %v", err)
				}
			} else if len(ended) > 0 {
				t.Error("stdout has ended while the child lives")
			}
			if err := syscall.Kill(child, syscall.SIGKILL); err != nil {
				t.Error(err)
			}
			if c.holds {
				<-ended
			}
		})
	}
}

// TestSignals holds that the process dies of SIGTERM, unless its behaviour is to
// ignore it.
func TestSignals(t *testing.T) {
	for name, want := range map[string]syscall.Signal{"ignores-eof": syscall.SIGTERM, "ignores-sigterm": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			cmd, stdin, stdout, stderr := startProcess(t, name)
			if line, err := stderr.ReadString('\n'); err != nil || !strings.Contains(line, "ready") {
				t.Fatalf("stderr %q, %v", line, err)
			}
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if want == syscall.SIGKILL {
				// An answer shows that it goes on after the signal.
				if _, err := io.WriteString(stdin, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"); err != nil {
					t.Fatal(err)
				}
				if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
					t.Fatalf("stdout %q, %v", line, err)
				}
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
			var exit *exec.ExitError
			if err := cmd.Wait(); !errors.As(err, &exit) {
				t.Fatalf("exit: %v", err)
			}
			if got := exit.Sys().(syscall.WaitStatus).Signal(); got != want {
				t.Errorf("ended by %v, want %v", got, want)
			}
		})
	}
}
