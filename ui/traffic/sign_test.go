package traffic

import (
	"strings"
	"testing"

	"wiretea/session"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
)

// TestWays holds that what did not cross has signs and a word of its own.
func TestWays(t *testing.T) {
	for _, c := range []struct {
		stream session.Stream
		way    session.Way
		sign   string
		word   string
	}{
		{session.C2S, session.Crossed, "→ ", ""}, {session.C2S, session.WayOut, "↦ ", "injected"}, {session.C2S, session.WayIn, "⇥ ", "held back"},
		{session.S2C, session.Crossed, "⇠ ", ""}, {session.S2C, session.WayOut, "↤ ", "injected"}, {session.S2C, session.WayIn, "⇤ ", "taken out"},
	} {
		r := session.Row{Kind: session.RowRequest, Stream: c.stream, Way: c.way}
		if got := signOf(r); got != c.sign || wayWord(r) != c.word {
			t.Errorf("%v %q: %q %q, want %q %q", c.stream, c.way, got, wayWord(r), c.sign, c.word)
		}
	}
}

// TestHeldRows holds that the rows of what a person held say what was done, and not the filter
// where it went on.
func TestHeldRows(t *testing.T) {
	s := panetest.New(t)
	const call, answer = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`, `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`
	s.Decided(1, session.C2S, session.WayIn, "hold: m:tools/call", call)
	s.Decided(2, session.C2S, session.WayOut, "hold: m:tools/call; released by screen", call)
	s.Decided(3, session.S2C, session.WayIn, "hold: m:tools/call", answer)
	s.Decided(4, session.S2C, session.WayOut, "hold: m:tools/call; edited and released by screen", answer)
	s.Decided(4, session.C2S, session.WayOut, "policy: ask-echo; allowed by screen", call)
	s.Decided(5, session.S2C, session.WayOut, "fault: m:ping: duplicate", answer)
	c, p := s.Context(), New()
	p.View(c, 110, 20, true)
	panetest.Tell(t, p, c, pane.MovedMsg{})
	got := panetest.Text(t, p, c, 110, 20)
	for _, want := range []string{"held by m:tools/call", "released", "edited and released by screen", "echo  allowed by screen", "put in by fault: m:ping: duplicate"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "put in by hold") {
		t.Errorf("released, and said to be put in:\n%s", got)
	}
}
