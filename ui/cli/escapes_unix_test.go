//go:build unix

package cli

import (
	"io"
	"strings"
	"testing"

	"github.com/creack/pty"
	xterm "golang.org/x/term"

	"wiretea/ui/cli/term"
)

// plainTerminal sets the environment in which nothing is painted.
func plainTerminal(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	t.Setenv("TERM", "dumb")
}

// atTerminal runs a command whose stdout and stderr are one terminal and returns what was
// written there, as it is. The environment is that of plainTerminal.
func atTerminal(t *testing.T, args ...string) (string, bool) {
	t.Helper()
	ours, theirs, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := xterm.MakeRaw(int(theirs.Fd())); err != nil {
		t.Fatal(err)
	}
	written := make(chan string)
	go func() {
		all, _ := io.ReadAll(ours) // It ends with an error, as terminals do.
		written <- string(all)
	}()
	runMain(t.Context(), args, strings.NewReader(""), term.Output(theirs), term.Output(theirs))
	if err := theirs.Close(); err != nil {
		t.Error(err)
	}
	defer ours.Close()
	return <-written, true
}

// TestPainted holds that a terminal gets the colours of a painted text and nothing else
// that it would obey, and each character, however a text is cut.
func TestPainted(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	ours, theirs, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	defer theirs.Close()
	if _, err := xterm.MakeRaw(int(theirs.Fd())); err != nil {
		t.Fatal(err)
	}
	const text = "\x1b[31mé\u4e16\x1b[m\x1b[2J\u202e\tx\n\u0301e\u0301"
	out, painted := term.Output(theirs), "␛[31mé\u4e16␛[m␛[2J\\u202e\tx\n\\u0301e\u0301"
	for _, c := range []struct {
		paint bool
		piece int
		want  string
	}{
		{false, len(text), painted}, {false, 1, painted},
		{true, len(text), strings.NewReplacer("␛[31m", "\x1b[31m", "␛[m", "\x1b[m").Replace(painted)},
	} {
		w := out
		if c.paint {
			var colour bool
			if w, colour = term.Painted(out); !colour {
				t.Error("a terminal has no colours")
			}
		}
		for rest := text; rest != ""; rest = rest[min(c.piece, len(rest)):] {
			if _, err := io.WriteString(w, rest[:min(c.piece, len(rest))]); err != nil {
				t.Fatal(err)
			}
		}
		got := make([]byte, len(c.want))
		if _, err := io.ReadFull(ours, got); err != nil || string(got) != c.want {
			t.Errorf("%v: %q, want %q, %v", c, got, c.want, err)
		}
	}
}
