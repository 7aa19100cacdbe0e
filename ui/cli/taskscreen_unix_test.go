//go:build unix

package cli

import (
	"strings"
	"testing"

	"wiretea/ui/cli/term"
)

// TestScreenTask holds that a tool that must be run as a task is, from its form,
// in either era: the cursor follows it to its result, and what is sent again from
// there is the call; ctrl-x cancels it.
func TestScreenTask(t *testing.T) {
	t.Parallel()
	for _, era := range []string{"legacy", "modern"} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			p := onScreen(t, nil, "wiretea", "run", "--no-record", "--era", era, "--", "wiretea", "demo", "--server", "healthy")
			typed := func(text string) {
				t.Helper()
				if err := p.Typed(text); err != nil {
					t.Fatal(err)
				}
			}
			see(t, p, "● live")
			typed(":compose tools/call brew\r")
			see(t, p, "alt-t task: on")
			pressAll(t, p, "down", "ctrl+u")
			typed("0.1")
			see(t, p, " 0.1 ")
			pressAll(t, p, "ctrl+s")
			see(t, p, "  A cup of green tea.")
			pressAll(t, p, "e")
			see(t, p, "alt-t task: on")
			see(t, p, "from #")
			pressAll(t, p, "down", "ctrl+u")
			typed("600")
			see(t, p, " 600 ")
			pressAll(t, p, "ctrl+s")
			see(t, p, "brew-2")
			see(t, p, "heating the water")
			pressAll(t, p, "ctrl+x")
			see(t, p, "cancel task  brew-2")
			typed("T")
			see(t, p, "⊘ brew")
			pressAll(t, p, "ctrl+c")
			see(t, p, "leave?")
			pressAll(t, p, "y")
			if code := left(t, p); code != term.ExitFine {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

// TestCallTaskRequired holds that call runs a tool as a task that has to be, and
// says how where it was not asked to look.
func TestCallTaskRequired(t *testing.T) {
	t.Parallel()
	server := []string{"--era", "legacy", "--no-record", "--", "wiretea", "demo", "--server", "healthy"}
	got := wiretea(t, "", append([]string{"call", "tool", "brew", "seconds=0.1", "--text"}, server...)...)
	if got.code != term.ExitFine || got.out != "A cup of green tea.\n" {
		t.Error(got)
	}
	got = wiretea(t, "", append([]string{"call", "tools/call", `{"name":"brew","arguments":{"seconds":0.1},"task":{}}`, "--text"}, server...)...)
	if got.code != term.ExitFine || got.out != "A cup of green tea.\n" {
		t.Error(got)
	}
	got = wiretea(t, "", append([]string{"call", "tools/call", `{"name":"brew"}`}, server...)...)
	if want := "hint: the tool may have to be run as a task: --task"; got.code != term.ExitFound || !strings.Contains(got.err, want) {
		t.Error(got)
	}
	got = wiretea(t, "", append([]string{"call", "tool", "slow", "seconds=0", "--task"}, server...)...)
	if want := "hint: the tool may not be able to run as a task: try it as a plain call"; got.code != term.ExitFound || !strings.Contains(got.err, want) {
		t.Error(got)
	}
}

// TestScreenLegs holds that the cursor follows a call over its legs, and that what is
// sent again from the last one is the whole call: its question is asked anew.
func TestScreenLegs(t *testing.T) {
	t.Parallel()
	p := onScreen(t, nil, "wiretea", "run", "--no-record", "--era", "modern", "--", "wiretea", "demo", "--server", "healthy")
	see(t, p, "● live")
	if err := p.Typed(":compose tools/call order\r"); err != nil {
		t.Fatal(err)
	}
	see(t, p, "✔ valid")
	pressAll(t, p, "ctrl+s")
	see(t, p, "enter answers")
	pressAll(t, p, "enter")
	see(t, p, "who it is for")
	pressAll(t, p, "ctrl+s")
	see(t, p, "  Your order:")
	pressAll(t, p, "r")
	see(t, p, "enter answers")
	pressAll(t, p, "ctrl+c")
	see(t, p, "leave?")
	pressAll(t, p, "y")
	if code := left(t, p); code != term.ExitFine {
		t.Errorf("exit code %d", code)
	}
}
