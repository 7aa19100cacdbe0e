package http

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// A turn is a request and what its response says of sessions.
type turn struct {
	who    string // who is the caller's User-Agent.
	head   string // head is the method and fields, such as "POST s=a v=2025-11-25"; init is an initialize, from=N its path's connection.
	answer string // answer is the status and the session id of the response, such as "200 s=a"; empty for 200.
	want   int
}

func (u turn) request(t *testing.T) request {
	t.Helper()
	words := strings.Fields(u.head)
	h := http.Header{}
	var conn int
	var initialize bool
	for _, w := range words[1:] {
		name, value, _ := strings.Cut(w, "=")
		switch name {
		case "s":
			h.Set("Mcp-Session-Id", value)
		case "v":
			h.Set("Mcp-Protocol-Version", value)
		case "m":
			h.Set("Mcp-Method", value)
		case "sse":
			h.Set("Accept", "text/event-stream")
		case "init":
			initialize = true
		case "from":
			fmt.Sscan(value, &conn)
		default:
			t.Fatalf("what is %q?", w)
		}
	}
	q := requestOf(words[0], h)
	q.caller = caller{server: "http://s", host: "127.0.0.1", agent: u.who}
	q.conn, q.initialize = conn, initialize
	return q
}

func TestConns(t *testing.T) {
	tests := []struct {
		name  string
		turns []turn
	}{
		{"a session with an id", []turn{
			{"a", "POST init", "200 s=1", 1}, {"a", "POST s=1", "", 1}, {"a", "GET s=1 sse", "", 1}, {"a", "DELETE s=1", "", 1},
		}},
		{"two sessions of one program", []turn{
			{"a", "POST init", "200 s=1", 1}, {"a", "POST init", "200 s=2", 2}, {"a", "POST s=1", "", 1}, {"a", "POST s=2", "", 2},
		}},
		{"an id that was not seen to begin", []turn{
			{"a", "POST s=9", "", 1}, {"a", "POST s=9", "", 1}, {"b", "POST s=9", "", 1}, {"a", "POST s=8", "", 2},
		}},
		{"numbers are not reused", []turn{
			{"a", "POST init", "200 s=1", 1}, {"a", "DELETE s=1", "", 1}, {"a", "POST s=1", "404", 1}, {"a", "POST init", "200 s=2", 2},
		}},
		{"no ids", []turn{
			{"a", "POST init", "", 1}, {"a", "POST", "202", 1}, {"a", "GET sse", "405", 1}, {"b", "POST init", "", 2}, {"a", "POST", "", 1}, {"b", "POST", "", 2},
			{"a", "POST init", "", 3}, {"a", "POST", "", 3},
		}},
		{"an id comes late", []turn{
			{"a", "POST init", "", 1}, {"a", "POST", "202 s=1", 1}, {"a", "POST s=1", "", 1}, {"a", "POST", "", 2},
		}},
		{"the id changes", []turn{
			{"a", "POST init", "200 s=1", 1}, {"a", "POST s=1", "200 s=2", 1}, {"a", "POST s=2", "", 1}, {"a", "POST s=1", "", 1},
		}},
		{"modern, by version", []turn{
			{"a", "POST v=2026-07-28", "", 1}, {"b", "POST v=2026-07-28", "", 2}, {"a", "POST v=2026-07-28", "", 1}, {"a", "POST v=2026-12-01", "", 3},
			{"a", "POST v=2025-11-25", "", 4}, {"a", "POST v=unpublished", "", 4},
		}},
		{"modern, by method", []turn{
			{"a", "POST m=tools/list", "", 1}, {"a", "POST m=tools/call", "", 1}, {"a", "POST", "", 2},
		}},
		{"modern ladder: probe, then initialize", []turn{
			{"a", "POST v=2026-07-28", "400", 1}, {"a", "POST init", "200 s=1", 2}, {"a", "POST s=1 v=2025-11-25", "", 2},
		}},
		{"old HTTP+SSE", []turn{
			{"a", "GET sse", "", 1}, {"a", "POST from=1 init", "202", 1}, {"a", "POST from=1", "202", 1}, {"a", "GET sse", "", 2}, {"a", "POST from=2 init", "202", 2}, {"a", "POST from=1", "202", 1},
		}},
		{"old HTTP+SSE after an attempt to initialize", []turn{
			{"a", "POST init", "405", 1}, {"a", "GET sse", "", 2}, {"a", "POST from=2 init", "202", 2},
		}},
		{"requests before a session", []turn{
			{"a", "OPTIONS", "", 1}, {"a", "GET", "404", 1}, {"a", "POST init", "401", 2}, {"a", "GET", "", 3}, {"a", "GET", "", 3}, {"a", "GET sse", "", 4},
		}},
		{"another credential", []turn{
			{"a", "POST init", "", 1}, {"b", "POST", "", 2},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var c conns
			for i, u := range test.turns {
				q := u.request(t)
				got := c.assign(q)
				if got != u.want {
					t.Errorf("%d: %s %s: got connection %d, want %d", i, u.who, u.head, got, u.want)
				}
				status, id := 200, ""
				fmt.Sscanf(u.answer, "%d s=%s", &status, &id)
				c.answered(q, got, status, id)
			}
		})
	}
}

func TestConnsAreBounded(t *testing.T) {
	var c conns
	for i := range 2 * maxKnown {
		c.assign(request{session: fmt.Sprint(i)})
		c.assign(request{session: "used"})
	}
	if n := len(c.sessions.entries); n != maxKnown {
		t.Errorf("%d sessions are remembered", n)
	}
	if got := c.assign(request{session: "used"}); got != 2 {
		t.Errorf("a session that is used is connection %d", got)
	}
	if got := c.assign(request{session: "0"}); got != 2*maxKnown+2 {
		t.Errorf("a forgotten session is connection %d", got)
	}
}
