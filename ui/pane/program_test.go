package pane_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"wiretea/ui/pane"
)

type letter struct{ msg tea.Msg }

// TestWrap holds that each message of a command is wrapped, also out of batches.
func TestWrap(t *testing.T) {
	wrap := func(msg tea.Msg) tea.Msg { return letter{msg} }
	say := pane.Tell(pane.SayMsg{Text: "hello"})
	if pane.Wrap(nil, wrap) != nil || pane.Wrap(func() tea.Msg { return nil }, wrap)() != nil {
		t.Error("nothing has become something")
	}
	if got := pane.Wrap(say, wrap)(); got != (letter{pane.SayMsg{Text: "hello"}}) {
		t.Errorf("a message has become %v", got)
	}
	batch := pane.Wrap(tea.Batch(say, tea.Batch(say, say)), wrap)().(tea.BatchMsg)
	if _, ok := batch[1]().(tea.BatchMsg)[0]().(letter); !ok {
		t.Error("a message in a batch in a batch is not wrapped")
	}
}

// TestProgram holds that what is for Bubble Tea itself is asked of the root model:
// wrapped, it would be lost.
func TestProgram(t *testing.T) {
	own := regexp.MustCompile(`tea\.(Quit|Suspend|ClearScreen|SetClipboard|ExecProcess|Exec|RequestBackgroundColor|Sequence|Print\w*|Raw)\b`)
	roots := map[string]bool{"shell.go": true, "picker.go": true} // are not parts of a screen
	files, err := filepath.Glob("../*/*.go")
	more, err2 := filepath.Glob("../*/*/*.go")
	if err != nil || err2 != nil || len(files) == 0 {
		t.Fatal(err, err2)
	}
	for _, file := range append(files, more...) {
		if strings.HasSuffix(file, "_test.go") || roots[filepath.Base(file)] {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if own.MatchString(line) && !strings.Contains(line, "pane.Program") && !strings.HasPrefix(strings.TrimSpace(line), "//") {
				t.Errorf("%s: %s is not asked of the root model", file, strings.TrimSpace(line))
			}
		}
	}
}
