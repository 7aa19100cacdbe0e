package screen_test

import (
	"errors"
	"strings"
	"testing"

	"wiretea/ui/panetest"
	"wiretea/ui/screen"
	"wiretea/ui/source"
	"wiretea/ui/termtest"
)

// waitGone waits until a text is not shown any more.
func waitGone(s *termtest.Session, text string) {
	s.WaitFor(func(screen string) bool { return !strings.Contains(screen, text) })
}

// TestSendAsks holds that nothing goes into somebody else's session unasked, and
// that it is asked once.
func TestSendAsks(t *testing.T) {
	a := attachedTo(talk(t), "node server.js")
	s := show(t, 100, 30, screen.Options{}, a.Source())
	s.WaitText("traffic")
	for _, key := range []string{"n", "esc", "enter", "q", "ctrl+c", "space", "tab"} {
		s.Type(":send tools/list {\"a\":1}\r")
		s.WaitText("DO reach")
		s.Keys(key)
		waitGone(s, "DO reach")
	}
	s.Type(":send tools/list {\"a\":1}\r")
	s.WaitText("DO reach")
	s.WaitText(`tools/list {"a":1}`)
	s.WaitText("desk (pid 3999)")
	s.WaitText("node server.js (pid 4711)")
	select {
	case line := <-a.sent:
		t.Fatalf("%q was sent although nobody agreed", line)
	default:
	}
	s.Keys("y")
	if got := <-a.sent; got != `tools/list {"a":1}` {
		t.Errorf("sent %q", got)
	}
	waitGone(s, "DO reach")
	s.Type(":send ping\r")
	if got := <-a.sent; got != "ping" {
		t.Errorf("sent %q", got)
	}
	sane(t, s)
}

// TestSendLands holds that the answer to what was sent into somebody else's session
// is shown, however much its client says meanwhile, and with the same method.
func TestSendLands(t *testing.T) {
	for name, send := range map[string]func(*termtest.Session, *attached){
		"send": func(s *termtest.Session, a *attached) {
			s.Type(":send tools/call {\"name\":\"brew\"}\r")
			s.WaitText("DO reach")
			s.Keys("y")
			<-a.sent
		},
		"resend": func(s *termtest.Session, a *attached) {
			s.Type(":8\r")
			waitRow(s, " 8 ")
			s.Keys("r")
			s.WaitText("DO reach")
			s.Keys("y")
			<-a.resent
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			written := talk(t)
			a := attachedTo(written, "node server.js")
			s := show(t, 120, 40, screen.Options{}, a.Source())
			s.WaitText("traffic")
			send(s, a)
			written.Client(4100, `{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"echo"}}`)
			a.more()
			s.WaitText("4.100 →")
			written.Injected(4150, `{"jsonrpc":"2.0","id":"wiretea-a-1","method":"tools/call","params":{"name":"brew"}}`)
			written.Server(4200, `{"jsonrpc":"2.0","id":8,"result":{"content":[{"type":"text","text":"the client's"}]}}`)
			written.Taken(4250, `{"jsonrpc":"2.0","id":"wiretea-a-1","result":{"content":[{"type":"text","text":"a cup of ours"}]}}`)
			written.Client(4300, `{"jsonrpc":"2.0","id":9,"method":"ping"}`)
			a.more()
			waitRow(s, " 20 ")
			s.WaitText("a cup of ours")
			written.Server(4400, `{"jsonrpc":"2.0","id":9,"result":{}}`)
			a.more()
			s.WaitText("4.400 ←")
			if !strings.Contains(s.Screen(), "a cup of ours") {
				t.Errorf("the answer is gone:\n%s", s.Screen())
			}
		})
	}
}

// TestSendOwn holds that in a session of our own nothing is asked.
func TestSendOwn(t *testing.T) {
	server := serverOf(talk(t), "node server.js")
	server.sendErr = errors.New("the pipe is full")
	s := show(t, 100, 30, screen.Options{}, server)
	s.WaitText("traffic")
	s.Type(":8\r")
	waitRow(s, " 8 ")
	s.Keys("r")
	got := <-server.resent
	if got.Method != "tools/call" || string(got.Params) != `{"name":"echo","arguments":{"message":"hello there"}}` {
		t.Errorf("sent %s %s", got.Method, got.Params)
	}
	s.WaitText("the pipe is full")
	s.Type(":15\r") // the one that waits
	waitRow(s, " 15 ")
	s.Keys("ctrl+x")
	if got := <-server.cancelled; got != "4" {
		t.Errorf("cancelled %s", got)
	}
}

// TestSendFromPage holds that a page over the traffic closes when something is sent
// from it: the answer shows in the traffic.
func TestSendFromPage(t *testing.T) {
	server := serverOf(talk(t), "node server.js")
	s := show(t, 100, 30, screen.Options{}, server)
	s.WaitText("─ traffic ")
	s.Keys("T")
	waitGone(s, "─ traffic ")
	s.Type(":send ping\r")
	if got := <-server.sent; got != "ping" {
		t.Errorf("sent %q", got)
	}
	s.WaitText("─ traffic ")
}

// TestResend holds that the parameters go again as they were, also from the row
// of the answer, and that what is agreed to is what is sent although more comes
// meanwhile.
func TestResend(t *testing.T) {
	written := talk(t)
	written.Client(4100, `{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{ "name" : "\u00e9cho", "n":1.0,"n":2 }}`)
	a := attachedTo(written, "node server.js")
	s := show(t, 100, 30, screen.Options{}, a.Source())
	waitRow(s, "écho")
	s.Keys("r")
	s.WaitText("with the parameters of #17")
	written.Client(4200, `{"jsonrpc":"2.0","id":"z","method":"tools/list"}`)
	a.more()
	s.WaitText("15 · following")
	s.Keys("y")
	got := <-a.resent
	if want := `{ "name" : "\u00e9cho", "n":1.0,"n":2 }`; got.Method != "tools/call" || string(got.Params) != want {
		t.Errorf("sent %s %s", got.Method, got.Params)
	}
	s.Type(":10\r") // an answer
	waitRow(s, " 10 ")
	s.Keys("r")
	if got := <-a.resent; string(got.Params) != `{"name":"echo","arguments":{"message":"hello there"}}` {
		t.Errorf("sent %s %s", got.Method, got.Params)
	}
}

// TestCancelAsks holds that a client's request is cancelled only after a
// question, and one of our own at once.
func TestCancelAsks(t *testing.T) {
	written := talk(t)
	written.Injected(4100, `{"jsonrpc":"2.0","id":"wiretea-a-1","method":"tools/list"}`)
	a := attachedTo(written, "node server.js")
	s := show(t, 100, 30, screen.Options{}, a.Source())
	waitRow(s, "tools/list")
	s.Keys("ctrl+x")
	if got := <-a.cancelled; got != `"wiretea-a-1"` {
		t.Errorf("cancelled %s", got)
	}
	s.Type(":15\r")
	waitRow(s, " 15 ")
	s.Keys("ctrl+x")
	s.WaitText("is not told")
	s.Keys("n")
	waitGone(s, "is not told")
	s.Keys("ctrl+x")
	s.WaitText("is not told")
	s.Keys("y")
	if got := <-a.cancelled; got != "4" {
		t.Errorf("cancelled %s", got)
	}
	waitGone(s, "is not told")
}

// TestCancelTooLate holds that a client's request which is answered while the question is open is
// not cancelled.
func TestCancelTooLate(t *testing.T) {
	written := talk(t)
	a := attachedTo(written, "node server.js")
	s := show(t, 100, 30, screen.Options{}, a.Source())
	s.Type(":15\r")
	waitRow(s, " 15 ")
	s.Keys("ctrl+x")
	s.WaitText("is not told")
	written.Server(4200, `{"jsonrpc":"2.0","id":4,"result":{}}`)
	a.more()
	s.WaitText("✖ 2 ─╮") // The screen knows of the response.
	s.Type("y")
	s.WaitText("the request has been answered")
	select {
	case id := <-a.cancelled:
		t.Errorf("cancelled %s", id)
	default:
	}
}

// TestCancelOffersTheOnlyPending holds that from any other row the only pending request is
// offered, by its id and method, and cancelled only after a question; of two none is offered,
// and a subscription is not counted.
func TestCancelOffersTheOnlyPending(t *testing.T) {
	const listen = `{"jsonrpc":"2.0","id":"sub","method":"subscriptions/listen","params":{}}`
	for _, c := range []struct {
		name  string
		more  func(s *panetest.Session)
		row   string
		asks  string // asks is what is asked; empty = nothing.
		says  string // says is what is said instead.
		foots bool   // foots: the footer has the key.
	}{
		{"an answered request", nil, ":8\r", "cancel request 4 tools/call?", "", true},
		{"a notification", nil, ":14\r", "cancel request 4 tools/call?", "", true},
		{"beside a subscription", func(s *panetest.Session) { s.Client(4100, listen) }, ":8\r", "cancel request 4 tools/call?", "", true},
		{"a hostile method", func(s *panetest.Session) {
			s.Server(4100, `{"jsonrpc":"2.0","id":4,"result":{}}`)
			s.Client(4200, `{"jsonrpc":"2.0","id":"a\u001b[2Jb","method":"x\u001b]0;y\u0007"}`)
		}, ":8\r", `cancel request "a\u001b[2Jb" x␛]0;y␇?`, "", true},
		{"two wait", func(s *panetest.Session) {
			s.Client(4100, `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"brew"}}`)
		}, ":8\r", "", "the request has been answered", false},
		{"none waits", func(s *panetest.Session) { s.Server(4100, `{"jsonrpc":"2.0","id":4,"result":{}}`) }, ":8\r", "", "the request has been answered", false},
		{"the server's waits", func(s *panetest.Session) {
			s.Server(4100, `{"jsonrpc":"2.0","id":4,"result":{}}`)
			s.Server(4200, `{"jsonrpc":"2.0","id":9,"method":"roots/list"}`)
		}, ":8\r", "", "the request has been answered", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			written := talk(t)
			if c.more != nil {
				c.more(written)
			}
			server := serverOf(written, "node server.js")
			s := show(t, 140, 30, screen.Options{}, server)
			s.WaitText("traffic")
			s.Type(c.row)
			waitRow(s, " "+strings.Trim(c.row, ":\r")+" ")
			if got := strings.Contains(s.Screen(), "ctrl-x cancel"); got != c.foots {
				t.Errorf("the footer has the key: %t\n%s", got, s.Screen())
			}
			s.Keys("ctrl+x")
			if c.asks == "" {
				s.WaitText(c.says)
				waitGone(s, "n esc")
				return
			}
			s.WaitText(c.asks)
			s.Keys("n")
			waitGone(s, c.asks)
			s.Keys("ctrl+x")
			s.WaitText(c.asks)
			if len(server.cancelled) > 0 {
				t.Fatal("cancelled without a yes")
			}
			s.Keys("y")
			waitGone(s, c.asks)
			if got := <-server.cancelled; got != "4" && c.name != "a hostile method" {
				t.Errorf("cancelled %s", got)
			}
		})
	}
}

// TestEndAsks holds that a client's server is ended only after a question.
func TestEndAsks(t *testing.T) {
	a := attachedTo(talk(t), "node server.js")
	s := show(t, 100, 30, screen.Options{}, a.Source())
	s.WaitText("traffic")
	s.Type(":end\r")
	s.WaitText("loses it")
	s.Keys("n")
	waitGone(s, "loses it")
	select {
	case <-a.ended:
		t.Fatal("the server was ended although nobody agreed")
	default:
	}
	s.Type(":end\r")
	s.WaitText("loses it")
	s.Keys("y")
	<-a.ended
	own := show(t, 100, 30, screen.Options{}, serverOf(talk(t), "node server.js"))
	own.WaitText("traffic")
	own.Type(":end\r")
	own.WaitText("no other client's server")
}

// TestCannot holds that keys which can do nothing say why.
func TestCannot(t *testing.T) {
	refused := attachedTo(talk(t), "node server.js")
	refused.who.Refused = "its tee was started with --no-control"
	answered := talk(t)
	answered.Server(4050, `{"jsonrpc":"2.0","id":4,"result":{}}`)
	asking := talk(t)
	asking.Server(4050, `{"jsonrpc":"2.0","id":4,"result":{}}`)
	asking.Server(4100, `{"jsonrpc":"2.0","id":9,"method":"roots/list"}`)
	shaking := serverOf(handshakeOf(t, initialize), "node server.js")
	for _, c := range []struct {
		name string
		src  source.Source
		row  string
		key  string
		want string
	}{
		{"a recording, send", recording(t), ":8\r", "r", "this is a recording"},
		{"a recording, cancel", recording(t), ":8\r", "ctrl+x", "this is a recording"},
		{"refused, send", refused.Source(), ":8\r", "r", "--no-control"},
		{"refused, cancel", refused.Source(), ":15\r", "ctrl+x", "--no-control"},
		{"refused, command", refused.Source(), ":send ping\r", "", "--no-control"},
		{"refused, end", refused.Source(), ":end\r", "", "--no-control"},
		{"restart", refused.Source(), "", "R", "only a server that wiretea started"},
		{"answered", serverOf(answered, "node server.js"), ":8\r", "ctrl+x", "the request has been answered"},
		{"no request", running(t), ":14\r", "r", "the selected row has no request"},
		{"the server's", serverOf(asking, "node server.js"), ":18\r", "r", "this is the server's request"},
		{"the server's, cancel", serverOf(asking, "node server.js"), ":18\r", "ctrl+x", "this is the server's request"},
		{"the handshake", shaking, ":2\r", "ctrl+x", "initialize must not be cancelled"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := show(t, 100, 30, screen.Options{}, c.src)
			s.WaitText("traffic")
			s.WaitFor(func(screen string) bool {
				return strings.Contains(screen, "initialize") || strings.Contains(screen, "tools/list")
			})
			s.Type(c.row)
			if c.row != "" && c.key != "" {
				waitRow(s, " "+strings.Trim(c.row, ":\r")+" ")
			}
			if c.key != "" {
				s.Keys(c.key)
			}
			s.WaitText(c.want)
			waitGone(s, "n esc")
		})
	}
}

// TestAsksWhereThereIsNoRoom holds that a small screen still shows what should be
// known before, and the answers.
func TestAsksWhereThereIsNoRoom(t *testing.T) {
	s := show(t, 30, 8, screen.Options{}, attachedTo(talk(t), "node server.js").Source())
	s.WaitText("traffic")
	s.Type(":send ping\r")
	s.WaitText("⚠ Requests")
	s.WaitText("y sends it")
}
