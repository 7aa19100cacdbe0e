package plain_test

import (
	"strings"
	"testing"

	"wiretea/session"
	"wiretea/session/filter"
	"wiretea/ui/panetest"
	"wiretea/ui/plain"
)

// printed is what is printed of a session, without numbers, times and columns.
func printed(t *testing.T, c *panetest.Session, text string, live bool) string {
	t.Helper()
	ctx := c.Context()
	var out strings.Builder
	p := plain.Printer{Out: &out, Log: ctx.Log}
	if text != "" {
		f, err := filter.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		p.Filter = f
	}
	if err := p.Print(ctx.Snap, !live); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(out.String()) {
		fields := strings.Fields(line)
		lines = append(lines, strings.Join(fields[min(2, len(fields)):], " "))
	}
	return strings.Join(lines, "\n")
}

// TestTrips holds that a request and its response over HTTP are two lines, and that what is
// not such an exchange is a line for each row.
func TestTrips(t *testing.T) {
	s := panetest.New(t)
	s.OverHTTP("http://localhost:3001/mcp")
	s.Request(1, 1, "POST", `{"jsonrpc":"2.0","id":0,"method":"ping"}`)
	s.Answer(2, 1, 400, `{"jsonrpc":"2.0","id":0,"error":{"code":-1,"message":"no"}}`)
	s.Request(3, 2, "POST", `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	s.Opens(4, 2)
	s.Event(5, 2, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	s.HTTP(6, 2, session.HTTPEvent{Event: "end", Why: "eof"})
	s.Request(7, 3, "GET", "")
	s.Opens(8, 3)
	s.Request(9, 4, "POST", `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	s.Opens(10, 4)
	s.Event(11, 4, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`)
	s.Event(12, 4, `{"jsonrpc":"2.0","id":2,"result":{}}`)
	s.HTTP(13, 4, session.HTTPEvent{Event: "end", Why: "server"})
	s.Request(14, 5, "DELETE", "")
	s.Answer(15, 5, 404, "")
	s.Request(16, 6, "POST", `{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	const all = `→ req ping 0 40 B POST /mcp
← err ping 0 1.00 ms 59 B 400
→ req ping 1 40 B POST /mcp
← res ping 1 2.00 ms 36 B 200 stream
◇ GET /mcp 200 stream open
◇ 200 stream open
→ req ping 2 40 B POST /mcp
◇ 200 4.00 ms
← ntf notifications/message info 85 B
← res ping 2 3.00 ms 36 B
◇ stream cut by the server after 4.00 ms
◇ DELETE /mcp 404 1.00 ms
◇ 404 1.00 ms
→ req ping 3 40 B POST /mcp`
	for _, live := range []bool{false, true} {
		if got := printed(t, s, "", live); got != all {
			t.Errorf("live %t:\n%s", live, got)
		}
	}
	if got := printed(t, s, "id:1", false); got != "→ req ping 1 40 B\n← res ping 1 2.00 ms 36 B" {
		t.Errorf("the messages alone:\n%s", got)
	}
	if got := printed(t, s, "status:400", false); got != "→ req ping 0 40 B POST /mcp\n← err ping 0 1.00 ms 59 B 400" {
		t.Errorf("one round trip:\n%s", got)
	}
}

// TestTripBegins holds that the head of a POST waits for its message, and no other head.
func TestTripBegins(t *testing.T) {
	s := panetest.New(t)
	s.OverHTTP("http://localhost:3001/mcp")
	s.HTTP(1, 1, session.HTTPEvent{Event: "req", Method: "GET", Target: "/mcp"})
	s.HTTP(2, 2, session.HTTPEvent{Event: "req", Method: "POST", Target: "/mcp"})
	if got := printed(t, s, "", true); got != "◇ GET /mcp" {
		t.Errorf("live: %s", got)
	}
	if got := printed(t, s, "", false); got != "◇ GET /mcp\n◇ POST /mcp" {
		t.Errorf("at the end: %s", got)
	}
}
