package statistics_test

import (
	"fmt"
	"strings"
	"testing"

	"wiretea/recorder/statistics"
	"wiretea/session"
	"wiretea/ui/panetest"
)

// TestClientWords holds what is said of a client that has no tools, and that nothing is said
// where the recording does not show it.
func TestClientWords(t *testing.T) {
	const changed = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	begin := func(s *panetest.Session, capabilities string) {
		h := s.Header()
		h.Mode, h.Trans = "tee", "stdio"
		s.Client(10, `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"ed\u001bitor","version":"1"}}}`)
		s.Server(20, fmt.Sprintf(`{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":"2025-11-25","capabilities":%s,"serverInfo":{"name":"s","version":"1"}}}`, capabilities))
		s.Client(30, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	const tools, telling = `{"tools":{}}`, `{"tools":{"listChanged":true}}`
	last := func(s *panetest.Session, seconds float64) { s.Stderr(seconds*1000, "still here") }
	for name, tt := range map[string]struct {
		play func(s *panetest.Session)
		want string
	}{
		"never listed":      {func(s *panetest.Session) { begin(s, tools); last(s, 42) }, "ed␛itor did not request the list of tools in the 42 s after the handshake, though the server declares tools"},
		"soon":              {func(s *panetest.Session) { begin(s, tools); last(s, 9) }, ""},
		"no tools declared": {func(s *panetest.Session) { begin(s, `{"prompts":{}}`); last(s, 42) }, ""},
		"ours":              {func(s *panetest.Session) { begin(s, tools); s.Header().Mode = "run"; last(s, 42) }, ""},
		"over HTTP":         {func(s *panetest.Session) { begin(s, tools); s.Header().Trans = "http"; last(s, 42) }, ""},
		"a batch": {func(s *panetest.Session) {
			begin(s, tools)
			s.Client(40, `[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]`)
			last(s, 42)
		}, ""},
		"text": {func(s *panetest.Session) {
			begin(s, tools)
			s.Client(40, `{"jsonrpc":"2.0","id":1,"method":"tools/li`)
			last(s, 42)
		}, ""},
		"not answered": {func(s *panetest.Session) {
			begin(s, tools)
			s.Client(40, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
			last(s, 90)
		}, ""},
		"two connections": {func(s *panetest.Session) { begin(s, tools); s.Conn(2); last(s, 42) }, ""},
		"the server exited": {func(s *panetest.Session) {
			begin(s, tools)
			s.Proc(5000, session.Proc{Event: "exit"})
			last(s, 42)
		}, ""},
		"only wiretea asked": {func(s *panetest.Session) {
			begin(s, tools)
			s.Injected(50, `{"jsonrpc":"2.0","id":"wiretea-1","method":"tools/list"}`)
			last(s, 42)
		}, "ed␛itor did not request the list of tools in the 42 s after the handshake, though the server declares tools"},
		"none called":        {func(s *panetest.Session) { begin(s, tools); listed(s, 100, "", search); last(s, 75.1) }, "ed␛itor called none of the tools in the 75 s after it had listed them"},
		"none called so far": {func(s *panetest.Session) { begin(s, tools); listed(s, 100, "", search); last(s, 50) }, ""},
		"called": {func(s *panetest.Session) {
			begin(s, tools)
			listed(s, 100, "", search)
			called(s, 200, "search", `"result":{}`)
			last(s, 900)
		}, ""},
		"changed": {func(s *panetest.Session) {
			begin(s, telling)
			listed(s, 100, "", search)
			s.Server(20_000, changed)
			last(s, 35)
		}, "ed␛itor did not list the tools again in the 15 s after the server reported that they had changed (#6)"},
		"changed, listed again": {func(s *panetest.Session) {
			begin(s, telling)
			listed(s, 100, "", search)
			s.Server(20_000, changed)
			listed(s, 20_100, "", search)
			last(s, 35)
		}, ""},
		"changed, not declared": {func(s *panetest.Session) {
			begin(s, tools)
			listed(s, 100, "", search)
			s.Server(20_000, changed)
			last(s, 35)
		}, ""},
		"changed before the list": {func(s *panetest.Session) {
			begin(s, telling)
			s.Server(50, changed)
			listed(s, 100, "", search)
			last(s, 35)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := panetest.New(t)
			tt.play(s)
			c := s.Context()
			if got := strings.Join(statistics.ClientWords(c.Log, c.Snap), "; "); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
