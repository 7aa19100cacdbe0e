//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"testing"

	"wiretea/ui/cli/term"
)

// TestScreenCompose holds the composer against a server of its own process: a
// tool found and called, a failing call edited, in $EDITOR too, and sent again.
func TestScreenCompose(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := onScreen(t, []string{"HOME=" + home, "VISUAL=", "EDITOR=sed -i.old s/40/12345678/"}, runHealthy...)
	typed := func(text string) {
		t.Helper()
		if err := p.Typed(text); err != nil {
			t.Fatal(err)
		}
	}
	see(t, p, "● live")
	see(t, p, "server/discover")
	typed(":compose\r")
	see(t, p, "demo://city")
	typed("tool echo")
	see(t, p, "/tool echo")
	pressAll(t, p, "enter")
	see(t, p, "* required: message")
	typed("from the form")
	pressAll(t, p, "ctrl+s")
	see(t, p, "call  echo")
	see(t, p, "  Echo: from the form")

	typed(":compose tools/call add\r")
	see(t, p, "Adds two numbers")
	typed("40")
	pressAll(t, p, "ctrl+s")
	see(t, p, "send anyway?")
	pressAll(t, p, "y")
	see(t, p, "call  add")
	see(t, p, "tool error")
	pressAll(t, p, "e")
	see(t, p, "* required: b")
	typed("2")
	see(t, p, "✔ valid")
	pressAll(t, p, "ctrl+g")
	see(t, p, " 12345678 ") // no pid, no latency
	pressAll(t, p, "ctrl+s")
	see(t, p, "sum  12345680")

	pressAll(t, p, "ctrl+c")
	see(t, p, "leave?")
	pressAll(t, p, "y")
	if code := left(t, p); code != term.ExitFine {
		t.Errorf("exit code %d", code)
	}
	kept, err := filepath.Glob(filepath.Join(home, ".local", "state", "wiretea", "history", "*.jsonl"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("the history is %q, %v", kept, err)
	}
	if info, err := os.Stat(kept[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}
