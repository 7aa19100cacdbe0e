package detail

import (
	"fmt"
	"strings"
	"testing"

	"wiretea/session"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
)

// secretToken is a credential as it is recorded.
var secretToken = session.HTTPField{Name: "Authorization", Value: "Bearer", Secret: &session.Secret{
	Len: 812, Hash: "9c41d2e0", Iss: "https://login.example.com", Aud: "mcp", Exp: 1795086000, Scp: "tools:read tools:call"}}

// tripSession is a session with a call over TLS whose response is an event stream, and a
// request that is refused.
func tripSession(t testing.TB) *panetest.Session {
	s := panetest.New(t)
	s.OverHTTP("https://mcp.example.com/mcp")
	s.Header().Mode = "proxy"
	s.HTTP(10, 1, session.HTTPEvent{Event: "req", Method: "POST", Target: "/mcp", Proto: "HTTP/1.1", Remote: "127.0.0.1:50012",
		Fields:  []session.HTTPField{{Name: "Host", Value: "127.0.0.1:8942"}, {Name: "Accept", Value: "application/json, text/event-stream"}, secretToken},
		Changed: []session.HTTPField{{Name: "Host", Value: "mcp.example.com"}}})
	s.Body(10, 1, session.C2S, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{}}}`)
	s.HTTP(10.1, 1, session.HTTPEvent{Event: "sent"})
	s.HTTP(52, 1, session.HTTPEvent{Event: "conn", Remote: "192.0.2.7:443", Proto: "HTTP/2.0", DNS: 4e6, Dial: 12e6, TLS: 26e6,
		Cert: &session.HTTPCert{Version: "TLS 1.3", Subject: "mcp.example.com", Issuer: "Example CA", End: panetest.T0.Unix() + 9*24*3600 + 60}})
	s.Opens(90, 1, session.HTTPField{Name: "X-Request-Id", Value: strings.Repeat("0123456789abcdef", 6)})
	s.Event(95, 1, `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
	s.HTTP(110, 1, session.HTTPEvent{Event: "end", Why: "server", Sent: 86, Received: 78})
	s.HTTP(200, 2, session.HTTPEvent{Event: "req", Method: "DELETE", Target: "/mcp", Proto: "HTTP/1.1"})
	s.HTTP(201, 2, session.HTTPEvent{Event: "err", Why: "dial tcp 192.0.2.7:443: connect: connection refused"})
	s.HTTP(201, 2, session.HTTPEvent{Event: "end", Why: "reset"})
	s.Request(300, 3, "POST", `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	return s
}

// stand puts the pane on a row, on its tab http.
func stand(t testing.TB, p *Pane, c *pane.Context, row uint32) {
	t.Helper()
	c.Cursor = row
	panetest.Tell(t, p, c, pane.CursorMovedMsg{})
	for range numTabs {
		if p.tab() == httpTab {
			return
		}
		panetest.Do(t, p, c, keys.NextTab)
	}
	t.Fatalf("row %d has no tab http", row)
}

func TestTripTab(t *testing.T) {
	c := tripSession(t).Context()
	c.Now += 2e9
	for row := range uint32(c.Snap.Len()) {
		r := c.Snap.Row(row)
		if r.Kind != session.RowTrip && r.Kind != session.RowRequest {
			continue
		}
		t.Run(fmt.Sprintf("%s-%d", r.Kind, r.N), func(t *testing.T) {
			p := New()
			stand(t, p, c, row)
			left, right := p.Title(c)
			panetest.Golden(t, strings.ReplaceAll(t.Name(), "/", "_"), left+" | "+right+"\n"+panetest.Text(t, p, c, 78, 44))
			panetest.Sizes(t, p, c)
		})
	}
}

// TestTripGoesOn holds that a round trip is read again when its response comes.
func TestTripGoesOn(t *testing.T) {
	s := tripSession(t)
	c, p := s.Context(), New()
	row := c.Snap.TripRow(uint32(c.Snap.Len()) - 1)
	stand(t, p, c, row)
	if text := panetest.Text(t, p, c, 78, 20); !strings.Contains(text, "none yet") {
		t.Errorf("before the response:\n%s", text)
	}
	s.Answer(350, 3, 202, "", session.HTTPField{Name: "Server", Value: "\x1b[31mred"})
	s.Update(c)
	panetest.Tell(t, p, c, pane.MovedMsg{})
	if text := panetest.Text(t, p, c, 78, 20); !strings.Contains(text, "HTTP/1.1 202") || strings.Contains(text, "\x1b") || !strings.Contains(text, "first byte  ") {
		t.Errorf("after it:\n%s", text)
	}
}

// TestCopyTrip holds that an HTTP request is copied for curl, and a message in it for
// wiretea call, without its credentials.
func TestCopyTrip(t *testing.T) {
	c := tripSession(t).Context()
	for name, test := range map[string]struct {
		row    uint32
		action keys.Action
		want   string
	}{
		"curl of the request": {0, keys.CopyCall, "curl -sS -N -i \\\n  -X POST \\\n  https://mcp.example.com/mcp \\\n  -H 'Accept: application/json, text/event-stream' \\\n  -H \"Authorization: Bearer $TOKEN\" \\\n" +
			`  --data-raw '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{}}}'`},
		"curl of the message": {1, keys.CopyCurl, "curl -sS -N -i \\\n  -X POST \\\n  https://mcp.example.com/mcp \\\n  -H 'Accept: application/json, text/event-stream' \\\n  -H \"Authorization: Bearer $TOKEN\" \\\n" +
			`  --data-raw '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{}}}'`},
		"call":                {1, keys.CopyCall, `wiretea call tools/call '{"name":"echo","arguments":{}}' --token-env TOKEN -- https://mcp.example.com/mcp`},
		"curl without a body": {5, keys.CopyCurl, "curl -sS -N -i \\\n  -X DELETE \\\n  https://mcp.example.com/mcp"},
	} {
		p := New()
		c.Cursor = test.row
		panetest.Tell(t, p, c, pane.CursorMovedMsg{})
		if why := p.Disabled(c, test.action); why != "" {
			t.Errorf("%s: %s", name, why)
		}
		asked := panetest.Do(t, p, c, test.action)
		if len(asked) != 1 || asked[0].(pane.CopyMsg).Text != test.want {
			t.Errorf("%s: %v, want\n%s", name, asked, test.want)
		}
	}
}

// TestRefusedConnection holds that a request whose connection was refused is not said to have
// had one that closed.
func TestRefusedConnection(t *testing.T) {
	s := panetest.New(t)
	s.OverHTTP("http://localhost:3001/mcp")
	s.Request(1, 1, "POST", `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	s.HTTP(2, 1, session.HTTPEvent{Event: "err", Why: "connection refused"})
	s.HTTP(2, 1, session.HTTPEvent{Event: "end", Why: "reset"})
	c, p := s.Context(), New()
	stand(t, p, c, 1)
	if left, right := p.Title(c); !strings.Contains(left, "ping") || !strings.Contains(right, "no response") || strings.Contains(right, "closed") {
		t.Errorf("%q, %q", left, right)
	}
}
