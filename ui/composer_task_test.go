package ui_test

import (
	"strings"
	"testing"

	"wiretea/session/client"
	"wiretea/ui/panetest"
)

// tasking writes a session whose server has a tool that has to be run as a task, one
// that can be, and one that cannot.
func tasking(t *testing.T) *panetest.Session {
	s := handshake(panetest.New(t))
	s.Client(100, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	s.Server(112, `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"brew","inputSchema":{"type":"object","properties":{"seconds":{"type":"number","default":0.1}}},"execution":{"taskSupport":"required"}},`+
		`{"name":"steep","inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"}},{"name":"echo","inputSchema":{"type":"object"}}]}}`)
	return s
}

// TestComposeTask holds when the switch is on at first, that it can be turned, and
// that a task is followed to its result.
func TestComposeTask(t *testing.T) {
	for _, c := range []struct {
		name  string
		era   client.EraChoice
		tool  string
		at    string // at is how the switch stands at first, empty = there is none.
		turn  bool   // turn turns it.
		sends string
		next  string // next is the method that follows, empty = none does.
	}{
		{"has to be", client.Legacy, "brew", "on", false, `"task":{}`, "tasks/get"},
		{"has to be, and shall not", client.Legacy, "brew", "on", true, `"arguments":{"seconds":0.1}`, ""},
		{"can be", client.Legacy, "steep", "off", true, `"task":{}`, ""},
		{"cannot be", client.Legacy, "echo", "", true, `"name":"echo","arguments":{}`, ""},
		{"the server decides", client.Modern, "brew", "on", false, `"extensions":{"io.modelcontextprotocol/tasks":{}}`, "tasks/get"},
		{"the server decides, and is not told", client.Modern, "brew", "on", true, `"name":"brew"`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := callingIn(t, c.era, tasking(t))
			s := composing(t, 120, 40, server)
			s.Type(":compose tools/call " + c.tool + "\r")
			s.WaitText("[ send ]")
			s.WaitText("✔ valid")
			if c.at != "" {
				s.WaitText("task " + c.at)
			} else if strings.Contains(s.Screen(), "task o") {
				t.Errorf("it can be run as a task:\n%s", s.Screen())
			}
			if c.turn {
				s.Keys("alt+t")
			}
			switch {
			case c.turn && c.at == "on":
				s.WaitText("task off")
			case c.turn && c.at == "off":
				s.WaitText("task on")
			case c.turn:
				s.WaitText("neither the server nor the tool")
			}
			s.Keys("ctrl+s")
			got := server.line(t)
			if !strings.Contains(got, `"method":"tools/call"`) || !strings.Contains(got, c.sends) {
				t.Errorf("sent %s, want %s", got, c.sends)
			}
			if c.turn && c.at == "on" && (strings.Contains(got, `"task":`) || strings.Contains(got, "extensions")) {
				t.Errorf("it is a task all the same: %s", got)
			}
			if c.next != "" {
				if got := server.line(t); !strings.Contains(got, `"method":"`+c.next+`"`) {
					t.Errorf("then %s, want %s", got, c.next)
				}
			}
		})
	}
}

// TestComposeTaskWatched holds that a tool is run as a task in somebody else's
// session too, and that an earlier call's word is the switch's.
func TestComposeTaskWatched(t *testing.T) {
	written := tasking(t)
	written.Client(400, `{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"brew","arguments":{"seconds":3},"task":{}}}`)
	written.Server(401, `{"jsonrpc":"2.0","id":6,"error":{"code":-32603,"message":"no water"}}`)
	a := attachedTo(written, "node server.js")
	s := composing(t, 120, 40, a.Source())
	s.Type(":compose tools/call brew\r")
	s.WaitText("task on")
	s.Keys("ctrl+s")
	s.WaitText("DO reach")
	s.Keys("y")
	if got, want := <-a.sent, `tools/call {"name":"brew","arguments":{"seconds":0.1},"task":{}}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	waitGone(s, "[ send ]")
	s.Keys("e")
	s.WaitText("from #")
	s.WaitText("task on")
	s.Keys("alt+t")
	s.WaitText("task off")
	s.Keys("ctrl+s")
	if got, want := <-a.sent, `tools/call {"name":"brew","arguments":{"seconds":3}}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
}
