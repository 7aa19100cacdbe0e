//go:build unix

package cli

import (
	"syscall"
	"testing"
	"time"
)

// TestTeeEndedAtOnce holds that a tee that is told to end while it starts does: before
// there is a server as any program does, and afterwards with its server.
func TestTeeEndedAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 40 {
		p := startPeer(t, peerOptions{}, "wiretea", "tee", "--sessions", dir, "--", "cat")
		time.Sleep(time.Duration(i) * 500 * time.Microsecond) // the case under test: any moment of the start
		if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if end := p.wait(); end.signal != syscall.SIGTERM {
			t.Fatalf("a signal after %d × 500 µs: %+v", i, end)
		}
	}
}
