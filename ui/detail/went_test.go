package detail_test

import (
	"strings"
	"testing"

	"wiretea/session"
	"wiretea/ui/detail"
	"wiretea/ui/panetest"
)

// TestEditedRequest holds that a response is shown with the arguments that its sender got, and
// that what went on in place of a request has the response to it.
func TestEditedRequest(t *testing.T) {
	s := panetest.New(t)
	s.Client(1, initialize)
	s.Server(41, initialized)
	s.Decided(50, session.C2S, session.WayIn, "hold: t:echo", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}`)
	s.Replaced(1050, session.C2S, "hold: t:echo; edited and released by screen", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"message":42}}}`)
	s.Server(1060, `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"expected a string"}],"isError":true}}`)
	c := s.Context()
	p := detail.New()
	p.View(c, 60, 20, true)
	last := uint32(c.Snap.Len() - 1)
	for row, want := range map[uint32]string{last - 2: "message  hi", last - 1: "message  42", last: "message  42"} {
		at(t, p, c, row)
		got := page(t, p, c, 60, 20)
		if !strings.Contains(got, want) || !strings.Contains(got, "expected a string") || !strings.Contains(got, "10.0 ms · tool error") {
			t.Errorf("row %d:\n%s", row, got)
		}
	}
}
