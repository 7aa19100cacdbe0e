package screen_test

import (
	"fmt"
	"strings"
	"testing"

	"wiretea/session/client"
	"wiretea/ui/panetest"
	"wiretea/ui/screen"
)

// tasking writes a session whose server has a tool that must be run as a task, one
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
				s.WaitText("task: " + c.at)
			} else if strings.Contains(s.Screen(), "task: o") {
				t.Errorf("it can be run as a task:\n%s", s.Screen())
			}
			if c.turn {
				s.Keys("alt+t")
			}
			switch {
			case c.turn && c.at == "on":
				s.WaitText("task: off")
			case c.turn && c.at == "off":
				s.WaitText("task: on")
			case c.turn:
				s.WaitText("neither the server nor the tool")
			}
			s.Keys("ctrl+s")
			got := server.line(t)
			if !strings.Contains(got, `"method":"tools/call"`) || !strings.Contains(got, c.sends) {
				t.Errorf("sent %s, want %s", got, c.sends)
			}
			if c.turn && c.at == "on" && (strings.Contains(got, `"task":`) || strings.Contains(got, "extensions")) {
				t.Errorf("it is a task anyway: %s", got)
			}
			if c.next != "" {
				if got := server.line(t); !strings.Contains(got, `"method":"`+c.next+`"`) {
					t.Errorf("then %s, want %s", got, c.next)
				}
			}
		})
	}
}

// TestCancelTaskWatched holds that a task in somebody else's session is cancelled by
// tasks/cancel, and that this is asked about first.
func TestCancelTaskWatched(t *testing.T) {
	written := tasking(t)
	written.Injected(400, `{"jsonrpc":"2.0","id":"wiretea-a-1","method":"tools/call","params":{"name":"brew","task":{}}}`)
	written.Server(401, fmt.Sprintf(`{"jsonrpc":"2.0","id":"wiretea-a-1","result":{"task":{"taskId":"b-1","status":"working","createdAt":%q,"lastUpdatedAt":%[1]q,"ttl":null}}}`, "2026-01-01T00:00:00Z"))
	a := attachedTo(written, "node server.js")
	s := show(t, 120, 40, screen.Options{}, a.Source())
	s.WaitText("b-1") // the answer is selected, and shown
	s.Keys("T")
	s.WaitText("▸ brew  working") // and the task is known
	s.Keys("esc")
	s.WaitText("b-1")
	s.Keys("ctrl+x")
	s.WaitText(`tasks/cancel {"taskId":"b-1"}`)
	s.WaitText("DO reach")
	s.Keys("y")
	if got, want := <-a.sent, `tasks/cancel {"taskId":"b-1"}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
}
