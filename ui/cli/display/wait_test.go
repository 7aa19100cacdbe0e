package display

import (
	"testing"
	"time"

	"wiretea/recorder/capture"
)

// TestWaitWords holds what is said of a wait.
func TestWaitWords(t *testing.T) {
	for _, c := range []struct {
		wait capture.Wait
		want string
	}{
		{capture.Wait{Method: "tools/call", Target: "slow_query", For: 39 * time.Second, Limit: time.Minute}, "tools/call slow_query waits for 39 s; wiretea gives up at 60 s"},
		{capture.Wait{Method: "initialize", For: 3 * time.Second, Limit: 10 * time.Second, Starting: true}, "initialize waits for 3 s; wiretea gives up at 10 s; the server may still be starting"},
		{capture.Wait{Method: "initialize", For: 3 * time.Second, Launcher: "npx", Starting: true}, "initialize waits for 3 s: npx has not started the server, it may be downloading or building it; the time limit does not run meanwhile"},
		{capture.Wait{Method: "tools/call", Target: "ask", For: 6 * time.Second}, "tools/call ask waits for 6 s"},
	} {
		if got := WaitWords(c.wait); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
