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

// TestComposeTaskWatched holds that a tool is run as a task in somebody else's
// session too, and that an earlier call's word is the switch's.
func TestComposeTaskWatched(t *testing.T) {
	written := tasking(t)
	written.Client(400, `{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"brew","arguments":{"seconds":3},"task":{}}}`)
	written.Server(401, `{"jsonrpc":"2.0","id":6,"error":{"code":-32603,"message":"no water"}}`)
	a := attachedTo(written, "node server.js")
	s := composing(t, 120, 40, a.Source())
	s.Type(":compose tools/call brew\r")
	s.WaitText("task: on")
	s.Keys("ctrl+s")
	s.WaitText("as a task, which is polled until it ends")
	s.WaitText("DO reach")
	s.Keys("y")
	if got, want := <-a.sent, `as a task: tools/call {"name":"brew","arguments":{"seconds":0.1}}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	waitGone(s, "[ send ]")
	s.Keys("e")
	s.WaitText("from #")
	s.WaitText("task: on")
	s.Keys("alt+t")
	s.WaitText("task: off")
	s.Keys("ctrl+s")
	if got, want := <-a.sent, `tools/call {"name":"brew","arguments":{"seconds":3}}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
}

// TestComposeTaskModern holds when a tool of somebody else's modern server can be run as
// a task: as the server has said, and where it has said nothing, when one likes.
func TestComposeTaskModern(t *testing.T) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"desk"}}`
	for _, c := range []struct {
		name, caps string // caps are the server's capabilities, empty = nobody has asked for them.
		at         string // at is how the switch stands at first, empty = there is none.
	}{
		{"has tasks", `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`, "on"},
		{"has none", `{"tools":{}}`, ""},
		{"has not said", "", "off"},
	} {
		t.Run(c.name, func(t *testing.T) {
			written := panetest.New(t)
			if c.caps != "" {
				written.Client(1, `{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{`+meta+`}}`)
				written.Server(2, `{"jsonrpc":"2.0","id":0,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":`+c.caps+`}}`)
			}
			written.Client(3, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+meta+`}}`)
			written.Server(4, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[{"name":"brew","inputSchema":{"type":"object"}}]}}`)
			a := attachedTo(written, "node server.js")
			s := composing(t, 120, 40, a.Source())
			s.Type(":compose tools/call brew\r")
			s.WaitText("✔ valid")
			want := `tools/call {"name":"brew","arguments":{}}`
			switch c.at {
			case "on":
				s.WaitText("task: on")
			case "off":
				s.WaitText("task: off")
				s.Keys("alt+t")
				s.WaitText("task: on")
			default:
				s.Keys("alt+t")
				s.WaitText("neither the server nor the tool")
			}
			s.Keys("ctrl+s")
			s.WaitText("DO reach")
			s.Keys("y")
			if c.at != "" {
				want = "as a task: " + want
			}
			if got := <-a.sent; got != want {
				t.Errorf("sent %s, want %s", got, want)
			}
		})
	}
}

// TestCancelTaskWatched holds that a task in somebody else's session is cancelled as one,
// and that this is asked about first.
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
	if got, want := <-a.sent, "the task b-1 is cancelled"; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
}
