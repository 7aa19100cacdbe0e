package panetest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"wiretea/session/cells"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
)

// most is how many commands may follow from one, before it is taken for a loop.
const most = 10_000

// Run carries out a command and what follows from it: every answer goes to the
// pane, until there is nothing left to do. It returns what the pane asked of the
// screen meanwhile.
func Run(t testing.TB, p pane.Pane, c *pane.Context, cmd tea.Cmd) []tea.Msg {
	t.Helper()
	var asked []tea.Msg
	queue := []tea.Cmd{cmd}
	for n := 0; len(queue) > 0; n++ {
		if n == most {
			t.Fatal("the pane does not come to rest")
		}
		next := queue[0]
		queue = queue[1:]
		if next == nil {
			continue
		}
		switch msg := next().(type) {
		case nil:
		case tea.BatchMsg:
			queue = append(queue, msg...)
		case pane.GotoMsg, pane.PointMsg, pane.CopyMsg, pane.EditMsg, pane.SayMsg, pane.FocusMsg, pane.ExplainMsg, pane.SendMsg, pane.SetFilterMsg,
			pane.ComposeMsg, pane.ListMsg, pane.SubscribeMsg, pane.CancelMsg, pane.CancelTaskMsg, pane.ComparedMsg, pane.SaveMsg, pane.OutsideMsg:
			asked = append(asked, msg)
		default:
			queue = append(queue, p.Update(c, msg))
		}
	}
	return asked
}

// Tell gives a message to a pane and runs what follows from it.
func Tell(t testing.TB, p pane.Pane, c *pane.Context, msg tea.Msg) []tea.Msg {
	t.Helper()
	return Run(t, p, c, p.Update(c, msg))
}

// Do has a pane carry out actions that must be its own, and runs what follows.
func Do(t testing.TB, p pane.Pane, c *pane.Context, actions ...keys.Action) []tea.Msg {
	t.Helper()
	var asked []tea.Msg
	for _, a := range actions {
		cmd, mine := p.Do(c, a)
		if !mine {
			t.Fatalf("%s is not the pane's", a)
		}
		asked = append(asked, Run(t, p, c, cmd)...)
	}
	return asked
}

// Text draws a pane and returns it without styles. It checks that it has the
// size that was asked for.
func Text(t testing.TB, p pane.Pane, c *pane.Context, w, h int) string {
	t.Helper()
	lines := p.View(c, w, h, true)
	if len(lines) != h {
		t.Errorf("%d×%d: %d lines", w, h, len(lines))
	}
	for i, line := range lines {
		if n := cells.Width(line); n != w {
			t.Errorf("%d×%d: line %d has %d cells: %q", w, h, i, n, line)
		}
	}
	return ansi.Strip(strings.Join(lines, "\n"))
}

// Sizes draws a pane at sizes that a screen may give it, and checks that it
// keeps to them.
func Sizes(t testing.TB, p pane.Pane, c *pane.Context) {
	t.Helper()
	for _, w := range []int{1, 2, 3, 5, 10, 20, 21, 40, 79, 80, 120, 200} {
		for _, h := range []int{1, 2, 3, 4, 6, 9, 24, 60} {
			Text(t, p, c, w, h)
		}
	}
}

var update = flag.Bool("update", false, "write the golden files anew")

// Golden compares a text with testdata/NAME.golden. Spaces at the ends of lines
// do not count.
func Golden(t testing.TB, name, text string) {
	t.Helper()
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	got := strings.Join(lines, "\n") + "\n"
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
