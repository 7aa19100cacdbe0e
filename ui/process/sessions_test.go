package process_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"wiretea/session"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
)

// severalClients is a session of a proxy: one client's session was deleted, one is not
// known to the server any more, one has a stream open, and one is of the modern era.
func severalClients(t testing.TB) *panetest.Session {
	s := panetest.New(t)
	s.OverHTTP("http://localhost:3001/mcp")
	s.Header().Mode = "proxy"
	trip := 0
	next := func() int { trip++; return trip }
	hello := func(ms float64, conn int, name string) {
		s.Conn(conn)
		n := next()
		s.Request(ms, n, "POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"%s","version":"1.0"}}}`, name))
		s.Answer(ms+10, n, 200, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`,
			session.HTTPField{Name: "Mcp-Session-Id", Secret: &session.Secret{Len: 36, Hash: fmt.Sprintf("%d7f3a901", conn)}})
	}
	hello(1, 1, "cursor")
	hello(100, 2, "claude-code-with-a-long-name")
	hello(200, 3, `vs\u001b[31mcode`)
	n := next()
	s.Request(300, n, "GET", "")
	s.Opens(310, n)
	s.Conn(1)
	n = next()
	s.Request(1000, n, "DELETE", "")
	s.Answer(1001, n, 204, "")
	s.Conn(2)
	n = next()
	s.Request(2000, n, "POST", `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	s.Answer(2010, n, 404, "")
	s.Conn(4)
	n = next()
	s.Request(3000, n, "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"modern","version":"2"}}}}`)
	return s
}

// TestIdle holds that a comment of an event stream ends the idle time, as a message does.
func TestIdle(t *testing.T) {
	s := severalClients(t)
	s.Conn(3)
	s.HTTP(50_000, 4, session.HTTPEvent{Event: "sse", Text: []byte(": ping\n\n")})
	p, c := open(t, s)
	c.Now = 65e9
	lines := strings.Split(panetest.Text(t, p, c, 118, 30), "\n")
	if !slices.ContainsFunc(lines, func(line string) bool {
		return strings.Contains(line, "#37f3a901") && strings.Contains(line, " 15.0 s ")
	}) {
		t.Errorf("connection 3 is not idle for 15 s:\n%s", strings.Join(lines, "\n"))
	}
}

func TestSessions(t *testing.T) {
	p, c := open(t, severalClients(t))
	c.Now += 65e9
	for _, size := range []struct{ w, h int }{{118, 30}, {78, 20}, {40, 16}} {
		panetest.Golden(t, fmt.Sprintf("sessions-%d", size.w), panetest.Text(t, p, c, size.w, size.h))
	}
	panetest.Sizes(t, p, c)
	for _, want := range []string{"none: in the modern era", "open", "answered 404 at 10:00:02.010", "the client deleted it at 10:00:01.001, status 204"} {
		text := panetest.Text(t, p, c, 118, 30)
		if _, card, _ := strings.Cut(text, "connection "); !strings.Contains(card, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
		panetest.Do(t, p, c, keys.Down)
	}
	asked := panetest.Do(t, p, c, keys.Enter)
	if len(asked) != 2 || asked[0] != (pane.SetFilterMsg{Text: "c:1"}) {
		t.Errorf("enter asks for %v", asked)
	}
	c.Live = false
	panetest.Golden(t, "sessions-over", panetest.Text(t, p, c, 118, 30))
	if left, right := p.Title(c); left != "sessions" || !strings.Contains(right, "4 connections · 7 round trips") {
		t.Errorf("the title is %s %s", left, right)
	}
}
