package replay

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"wiretea/session/mcp"
)

// refusedProbe is the beginning of a session whose client asked for the era first: the
// server refused that by its head, with an error that has no id.
var refusedProbe = append([]string{
	`9 POST /mcp {"jsonrpc":"2.0","id":9,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
	"9 400 Content-Type: application/json", `9 < {"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Server not initialized"},"id":null}`, "9 end eof",
}, begun...)

// TestRefusedProbe holds that a probe which HTTP refused is neither played nor waited
// for, and that a mock on standard input and output answers it.
func TestRefusedProbe(t *testing.T) {
	for _, id := range []string{"null", `"server-error"`} {
		t.Run(id, func(t *testing.T) { testRefusedProbe(t, id) })
	}
}

func testRefusedProbe(t *testing.T, id string) {
	const answer = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25"}}`
	lines := slices.Clone(refusedProbe)
	lines[2] = strings.Replace(lines[2], `"id":null`, `"id":`+id, 1)
	log := recordHTTP(t, lines...)
	scripts, err := ReadScripts(log, ServerEnd)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		server := newStandIn(t, []string{"→", "← " + answer, "→"})
		got, err := Player{}.Play(t.Context(), scripts[0], server)
		if want := []string{helloHTTP, readyHTTP}; err != nil || got.Found > 0 || !slices.Equal(server.got, want) {
			t.Errorf("%v, found %d, the server got %q", err, got.Found, server.got)
		}
	})
	if scripts, err = ReadScripts(log, ClientEnd); err != nil {
		t.Fatal(err)
	}
	mocked(t, Mock{}, scripts).play(
		`→ {"jsonrpc":"2.0","id":9,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
		`← {"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Server not initialized"},"id":9}`,
		"→ "+helloHTTP, "← "+answer, "→ "+readyHTTP, "eof", "end")
}

// TestHTTPMockKeepsSession holds that a server which repeats the session's id in each
// response does so as a mock too.
func TestHTTPMockKeepsSession(t *testing.T) {
	c := mockHTTP(t, Mock{}, append(slices.Clone(begun),
		"3 POST /mcp "+toolCall(3, "echo", ""), jsonHeadOf(3)+"|Mcp-Session-Id: secret", `3 < {"jsonrpc":"2.0","id":3,"result":{}}`, "3 end eof")...)
	c.begin()
	if got := c.send("POST", toolCall(3, "echo", "")).Header.Get(mcp.SessionHeader); got != c.session {
		t.Errorf("the session is %q, and a response in it has %q", c.session, got)
	}
}
