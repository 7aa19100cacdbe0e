package detail

import (
	"testing"

	"wiretea/session"
)

// TestWayWords holds that a message that was held is not said to be lost: it may still be
// held, or have gone on since.
func TestWayWords(t *testing.T) {
	for _, step := range []struct {
		way    session.Way
		stream session.Stream
		by     string
		want   string
	}{
		{session.WayIn, session.C2S, "", "⇥ the server did not get this"},
		{session.WayIn, session.C2S, "policy: look; asked", "⇥ held before it reached the server · policy: look; asked"},
		{session.WayIn, session.S2C, "policy: look; held", "⇤ held before it reached the client · policy: look; held"},
		{session.WayIn, session.C2S, "policy: no-shell", "⇥ the server did not get this · policy: no-shell"},
		{session.WayIn, session.C2S, "hold: m:tools/call", "⇥ held before it reached the server · hold: m:tools/call"},
		{session.WayIn, session.S2C, "hold: m:tools/call", "⇤ held before it reached the client · hold: m:tools/call"},
		{session.WayOut, session.S2C, "", "↤ sent to the client by wiretea"},
		{session.WayOut, session.C2S, "hold: m:tools/call; edited", "↦ sent by wiretea, not by the client · hold: m:tools/call; edited"},
		{session.WayOut, session.C2S, "hold: m:tools/call; released by screen", "↦ sent on to the server · hold: m:tools/call; released by screen"},
		{session.WayOut, session.S2C, "hold: m:tools/call; edited and released by screen", "↤ sent on to the client · hold: m:tools/call; edited and released by screen"},
		{session.WayOut, session.S2C, "hold: m:tools/call; answered by screen", "↤ sent to the client by wiretea · hold: m:tools/call; answered by screen"},
	} {
		if got := wayWords(step.way, step.stream, step.by); got != step.want {
			t.Errorf("%v %v %q: %s", step.way, step.stream, step.by, got)
		}
	}
}
