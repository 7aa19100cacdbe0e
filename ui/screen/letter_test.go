package screen

import (
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"

	"wiretea/ui/pane"
)

// TestAddress holds that what a visit's commands answer is addressed, also out of
// batches and sequences, and that Bubble Tea's own messages are not.
func TestAddress(t *testing.T) {
	say := func() tea.Msg { return pane.Say{Text: "hello"} }
	nothing := func() tea.Msg { return nil }
	if addressed(3, nil) != nil || addressed(3, nothing)() != nil {
		t.Error("nothing has become something")
	}
	if got, ok := addressed(3, say)().(letter); !ok || got.turn != 3 || got.msg != (pane.Say{Text: "hello"}) {
		t.Errorf("a message has become %v", got)
	}
	for _, cmd := range []tea.Cmd{tea.Batch(say, tea.Quit), tea.Sequence(say, tea.Quit)} {
		before, after := fmt.Sprintf("%T", cmd()), addressed(3, cmd)()
		if fmt.Sprintf("%T", after) != before {
			t.Errorf("a %s has become a %T", before, after)
		}
	}
	batch := addressed(3, tea.Batch(say, tea.Batch(say, tea.Quit)))().(tea.BatchMsg)
	inner := batch[1]().(tea.BatchMsg)
	if _, ok := inner[0]().(letter); !ok {
		t.Error("a message in a batch in a batch is not addressed")
	}
	if _, ok := inner[1]().(tea.QuitMsg); !ok {
		t.Error("quitting is addressed")
	}
	for _, cmd := range []tea.Cmd{tea.ClearScreen, tea.Suspend, tea.SetClipboard("x"), tea.RequestBackgroundColor} {
		if msg := addressed(3, cmd)(); fmt.Sprintf("%T", msg) != fmt.Sprintf("%T", cmd()) {
			t.Errorf("%T has become %T", cmd(), msg)
		}
	}
}
