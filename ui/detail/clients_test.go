package detail_test

import (
	"strings"
	"testing"

	"wiretea/session"
	"wiretea/ui/detail"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
)

const (
	listTools = `{"jsonrpc":"2.0","id":3,"method":"tools/list"}`
	listed    = `{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}}`
	discover  = `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
)

// shaken is a session after its handshake: three rows.
func shaken(t testing.TB) *panetest.Session {
	s := panetest.New(t)
	s.Client(1, initialize)
	s.Server(41, initialized)
	s.Client(42, ready)
	return s
}

// toolsAsked is one in which row 3 asks for the tools, and row 4 is what the server
// writes then.
func toolsAsked(t testing.TB, written string) *panetest.Session {
	s := shaken(t)
	s.Client(1000, listTools)
	s.Bytes(1010, session.S2C, written)
	return s
}

// turnTo turns to the tab that says so.
func turnTo(t testing.TB, p *detail.Pane, c *pane.Context, words string) {
	t.Helper()
	for range 8 {
		if strings.Contains(panetest.Text(t, p, c, 60, 20), words) {
			return
		}
		panetest.Do(t, p, c, keys.NextTab)
	}
	t.Fatalf("no tab says %q:\n%s", words, panetest.Text(t, p, c, 60, 20))
}

// What clients do with a frame is a tab of its own, where one of them does
// anything but accept it.
func TestClients(t *testing.T) {
	probed := panetest.New(t)
	probed.Proc(0, session.Proc{Event: "start", PID: 7, FDs: []string{"pipe", "pipe", "pipe"}})
	probed.Client(1, discover) // row 1
	probed.Proc(20, session.Proc{Event: "exit", Code: 1})
	probed.IO(21, session.S2C, session.IOEvent{Event: "eof", Side: "server"})
	probed.IO(21, session.Stderr, session.IOEvent{Event: "eof", Side: "server"})
	probed.End()
	cancelled := shaken(t)
	cancelled.Client(1000, listTools)
	cancelled.Client(1001, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`)
	cancelled.Server(1010, listed)
	for name, step := range map[string]struct {
		session *panetest.Session
		row     uint32
	}{
		"noise":      {toolsAsked(t, "listening on stdio\n"), 4},
		"id":         {toolsAsked(t, strings.Replace(listed, `"id":3`, `"id":"3"`, 1)+"\n"), 4},
		"several":    {toolsAsked(t, strings.Replace(strings.Replace(listed, `"result"`, `"error":null,"result"`, 1), "echo", "ech\xff", 1)+"\r\n"), 4},
		"request":    {toolsAsked(t, strings.Replace(listed, `{"type":"object"}`, `{}`, 1)+"\n"), 3},
		"many-lines": {toolsAsked(t, strings.ReplaceAll(listed, `,"`, ",\n\"")+"\n"), 7},
		"framed":     {toolsAsked(t, "Content-Length: 5\r\n\r\n"+listed+"\n"), 4},
		"probe":      {probed, 1},
		"cancelled":  {cancelled, 5},
	} {
		t.Run(name, func(t *testing.T) {
			c := step.session.Context()
			p := detail.New()
			p.View(c, 60, 20, true)
			at(t, p, c, step.row)
			turnTo(t, p, c, "What known clients do")
			panetest.Golden(t, "clients-"+name, page(t, p, c, 60, 20))
			panetest.Sizes(t, p, c)
		})
	}
}

// What all clients take is said in one line, and has no tab.
func TestClientsTakeIt(t *testing.T) {
	c := toolsAsked(t, listed+"\n").Context()
	p := detail.New()
	p.View(c, 60, 20, true)
	for row, want := range map[uint32]string{4: "every known client takes this", 3: "every known client takes the response"} {
		at(t, p, c, row)
		turnTo(t, p, c, want)
		if tabs, _, _ := strings.Cut(panetest.Text(t, p, c, 60, 20), "\n"); strings.Contains(tabs, "clients") {
			t.Errorf("row %d: %s", row, tabs)
		}
	}
}

// The tab follows the cursor, and enter explains the rule of the fault.
func TestClientsMove(t *testing.T) {
	s := toolsAsked(t, "listening on stdio\n")
	s.Server(1020, listed)
	c := s.Context()
	p := detail.New()
	p.View(c, 60, 20, true)
	at(t, p, c, 4)
	turnTo(t, p, c, "What known clients do")
	panetest.Do(t, p, c, keys.Down)
	if got := panetest.Do(t, p, c, keys.Enter); len(got) != 1 || got[0] != (pane.ExplainMsg{Rule: "stdout-not-json"}) {
		t.Errorf("enter asks for %v", got)
	}
	at(t, p, c, 5)
	if text := panetest.Text(t, p, c, 60, 20); strings.Contains(text, "clients") || !strings.Contains(text, "1 tool") {
		t.Errorf("a healthy frame shows\n%s", text)
	}
	at(t, p, c, 4)
	if text := panetest.Text(t, p, c, 60, 20); !strings.Contains(text, "disconnects") {
		t.Errorf("back at the noise:\n%s", text)
	}
}
