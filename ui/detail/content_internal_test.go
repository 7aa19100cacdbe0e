package detail

import (
	"strings"
	"testing"

	"wiretea/ui/pane"
	"wiretea/ui/panetest"
)

// TestContentPassed holds that one message is read and laid out at a time, however fast the
// cursor moves, and that the last one is shown.
func TestContentPassed(t *testing.T) {
	s := panetest.New(t)
	for i, name := range []string{"first", "second", "third"} {
		s.Client(float64(2*i), `{"jsonrpc":"2.0","id":`+string(rune('1'+i))+`,"method":"tools/call","params":{"name":"`+name+`","arguments":{"a":1}}}`)
	}
	c, p := s.Context(), New()
	p.View(c, 60, 20, true)
	c.Cursor = 0
	p.sub = newSubject(c.Snap, c.Cursor)
	first := p.ensureContent(c)
	if first == nil {
		t.Fatal("the first row is not read")
	}
	for row := range uint32(2) {
		c.Cursor = row + 1
		p.sub = newSubject(c.Snap, c.Cursor)
		if cmd := p.ensureContent(c); cmd != nil {
			t.Errorf("row %d is read beside the first one", row+1)
		}
	}
	panetest.Run(t, p, c, first)
	if got := panetest.Text(t, pane.Pane(p), c, 60, 20); !strings.Contains(got, "third") || p.giveUp != nil {
		t.Errorf("in the end:\n%s", got)
	}
}
