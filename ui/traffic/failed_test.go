package traffic

import (
	"strings"
	"testing"
)

// TestFailedRows: a tool's error looks like an error and says why, and a legacy
// server's answer to server/discover does not.
func TestFailedRows(t *testing.T) {
	tp := newTape()
	tp.frame("c2s", 1, `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}`)
	tp.frame("s2c", 2, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`)
	tp.frame("c2s", 3, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"pour"}}`)
	tp.frame("s2c", 4, `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"image"},{"type":"text","text":"out of tea"}],"isError":true}}`)
	s := newStage(t, tp, true)
	screen := strings.Split(s.screen(110, 8, false), "\n")
	for _, want := range [][]string{{"← ", "legacy server", "-32601"}, {"←✖", "image \"out of tea\""}} {
		found := false
		for _, line := range screen {
			has := true
			for _, w := range want {
				has = has && strings.Contains(line, w)
			}
			found = found || has
		}
		if !found {
			t.Errorf("no row has %q:\n%s", want, strings.Join(screen, "\n"))
		}
	}
}

// TestTimedOut: a request that wiretea gave up has timed out; one that was cancelled in time
// was cancelled.
func TestTimedOut(t *testing.T) {
	for after, want := range map[float64]string{61_000: "timed out", 5_000: "cancelled"} {
		tp := newTape()
		tp.frame("c2s", 1, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow_query"}}`)
		tp.frame("c2s", after, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"no answer within 1m0s"}}`)
		row := strings.Split(newStage(t, tp, true).screen(110, 8, false), "\n")[1]
		if !strings.Contains(row, "slow_query") || !strings.Contains(row, want) {
			t.Errorf("after %v ms: %q, want %q", after, row, want)
		}
	}
}
