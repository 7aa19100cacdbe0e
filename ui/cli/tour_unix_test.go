//go:build unix

package cli

import (
	"testing"

	"wiretea/ui/cli/term"
)

// TestTourScreen goes through the tour of the demo on the screen, and leaves.
func TestTourScreen(t *testing.T) {
	t.Parallel()
	p := onScreen(t, nil, "wiretea", "demo")
	see(t, p, "1/16  healthy")
	see(t, p, "tools/call echo #") // The answer to the first call is selected.
	pressAll(t, p, "n")
	see(t, p, "2/16  log-line")
	see(t, p, "text #") // The line that is not a message is selected.
	pressAll(t, p, "N")
	see(t, p, "1/16  healthy")
	pressAll(t, p, "n", "n")
	see(t, p, "3/16  log-object")
	pressAll(t, p, "N", "N")
	see(t, p, "1/16  healthy") // This server stays until the next step.
	pressAll(t, p, "q")
	see(t, p, "End the server")
	pressAll(t, p, "y")
	if code := left(t, p); code != term.ExitFine {
		t.Errorf("exit code %d", code)
	}
}
