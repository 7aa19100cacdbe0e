//go:build linux || darwin

package transport

import (
	"testing"
	"time"
)

// TestGuard lets a guard's tee go, as its end does: the server is killed. A guard that is
// stopped first kills nothing.
func TestGuard(t *testing.T) {
	for name, tt := range map[string]struct{ stopped bool }{"tee gone": {}, "tee ended": {stopped: true}} {
		t.Run(name, func(t *testing.T) {
			child, err := Command{Argv: []string{"cat"}, FDs: [3]FDKind{}}.Start(NewTap(time.Now(), TapConfig{}), 1, Grace{})
			if err != nil {
				t.Fatal(err)
			}
			defer closeAll(child.Stdin, child.Stdout, child.Stderr)
			proc, life, err := startGuard([]string{"guard of a test", guardPart}, child)
			if err != nil {
				t.Fatal(err)
			}
			if tt.stopped {
				g := &guard{proc: proc, life: life, gone: make(chan struct{})}
				go func() {
					defer close(g.gone)
					g.proc.Wait()
				}()
				g.stop()
				child.Stdin.Close()
			} else {
				life.Close()
			}
			<-child.Done()
			if want := map[bool]string{true: "", false: "SIGKILL"}[tt.stopped]; child.Exit().Signal != want {
				t.Errorf("the server ended by %q, want %q", child.Exit().Signal, want)
			}
			proc.Wait()
		})
	}
}
