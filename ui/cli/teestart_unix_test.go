//go:build unix

package cli

import (
	"syscall"
	"testing"
)

// TestTeeEndedAtOnce holds that a tee that is told to end while it starts does: before
// there is a server as any program does, and afterwards with its server.
func TestTeeEndedAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 40 {
		p := startPeer(t, peerOptions{}, "wiretea", "tee", "--sessions", dir, "--", "cat")
		for range i * 500 { // calls to the system: each i is another moment of the start
			if err := p.cmd.Process.Signal(syscall.Signal(0)); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if end := p.wait(); end.signal != syscall.SIGTERM {
			t.Fatalf("a signal after %d calls: %+v", i*500, end)
		}
	}
}
