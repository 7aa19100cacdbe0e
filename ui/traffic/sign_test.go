package traffic

import (
	"testing"

	"wiretea/session"
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
