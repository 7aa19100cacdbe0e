package screen_test

import (
	"strings"
	"testing"

	"wiretea/session"
	"wiretea/ui/panetest"
	"wiretea/ui/screen"
	"wiretea/ui/termtest"
)

// clipboard waits for what was copied; it is kept in a file as well.
func clipboard(s *termtest.Session, has string) string {
	var text string
	s.WaitTerminal(func(term *termtest.Terminal) bool {
		text = term.Clipboard()
		return strings.Contains(text, has)
	})
	return text
}

// TestFixture holds what a fixture has: the handshake, the exchange and what
// names its request, as it was on the wire and without secrets.
func TestFixture(t *testing.T) {
	const token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	written := handshake(panetest.New(t))
	written.Client(100, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	written.Server(112, `{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`)
	written.Client(200, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"brew","_meta":{"progressToken":"p"},"arguments":{"key":"`+token+`"}}}`)
	written.Server(210, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`)
	written.Stderr(211, "nothing of this")
	written.Bytes(220, session.S2C, `{"jsonrpc":"2.0","id":2, "result":{"content":[]}}`+"\r\n")
	s := show(t, 100, 30, screen.Options{}, serverOf(written, "node server.js"))
	s.WaitText("brew")
	s.Keys("y", "f")
	got := clipboard(s, "conversation")
	want := "tools/call brew\nFrom a session of wiretea/test, frame 8.\n\n-- conversation --\n" +
		"0ms proc start\n" +
		"1ms c2s " + initialize + "\n41ms s2c " + initialized + "\n" +
		`42ms c2s {"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`200ms c2s {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"brew","_meta":{"progressToken":"p"},"arguments":{"key":"REMOVED"}}}` + "\n" +
		`210ms s2c {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}` + "\n" +
		`220ms s2c! "{\"jsonrpc\":\"2.0\",\"id\":2, \"result\":{\"content\":[]}}\r\n"` + "\n221ms end\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	s.WaitText("without 1 secret")
}

// TestFixtureNone holds that a row without a request says so.
func TestFixtureNone(t *testing.T) {
	s := show(t, 100, 30, screen.Options{}, recording(t))
	s.WaitText("traffic")
	s.Keys("g", "y", "f")
	s.WaitText("the selected row has no request")
}
