//go:build realpeers && unix

package cli

import "testing"

// TestRealPeerPaste is TestPaste where every shell must be there.
func TestRealPeerPaste(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		t.Run(shell, func(t *testing.T) { pasteHostile(t, shell) })
	}
}
