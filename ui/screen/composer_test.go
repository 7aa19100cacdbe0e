package screen_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/demo"
	"wiretea/ui/panetest"
	"wiretea/ui/screen"
	"wiretea/ui/source"
	"wiretea/ui/termtest"
)

// A calling server is one of ours with a client of this process's own: what it is
// sent goes to the healthy demo server, and what it is sent is kept. The screen
// sees the session that was written by hand.
type calling struct {
	*server
	peer  *client.Client
	lines chan string // lines are those that were sent since the handshake.
}

func (c *calling) Client() *client.Client { return c.peer }

// A spout keeps the lines that pass.
type spout struct {
	io.WriteCloser
	lines chan string
	mu    sync.Mutex // mu guards what follows.
	open  bool       // open: lines are kept.
	rest  []byte
}

func (s *spout) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rest = append(s.rest, p...)
	for {
		line, rest, whole := bytes.Cut(s.rest, []byte("\n"))
		if !whole {
			break
		}
		if s.open && !bytes.Contains(line, []byte("notifications/initialized")) {
			s.lines <- string(line)
		}
		s.rest = bytes.Clone(rest)
	}
	return s.WriteCloser.Write(p)
}

// callingIn connects to the healthy server in an era.
func callingIn(t *testing.T, era client.EraChoice, written *panetest.Session) *calling {
	t.Helper()
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		demo.Serve(t.Context(), "healthy", toServer, fromServer, io.Discard)
		fromServer.Close()
	}()
	out := &spout{WriteCloser: fromClient, lines: make(chan string, 4096)}
	peer, err := client.New(client.Config{Era: era}, out, toClient)
	if err != nil {
		t.Fatal(err)
	}
	if err := peer.Handshake(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		peer.Close()
		<-ended
	})
	out.mu.Lock()
	out.open = true
	out.mu.Unlock()
	return &calling{server: serverOf(written, "node server.js"), peer: peer, lines: out.lines}
}

// offering writes a session in which the server has listed what it offers.
func offering(t *testing.T) *panetest.Session {
	s := handshakeDeclaring(panetest.New(t), `"prompts":{},"resources":{},`)
	s.Client(100, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	s.Server(112, `{"jsonrpc":"2.0","id":1,"result":{"nextCursor":"2","tools":[{"name":"echo","description":"gives back what it gets","inputSchema":{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}}]}}`)
	s.Client(120, `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"2"}}`)
	s.Server(121, `{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"brew","description":"makes tea","inputSchema":{"type":"object","properties":{"leaves":{"enum":["green","black"]},"pot":{"type":"object","properties":{"size":{"type":"integer","minimum":1},"cups":{"type":"array","items":{"type":"string"}}},"required":["size"]},"token":{"type":"string"}},"required":["leaves","pot"]}}]}}`)
	s.Client(130, `{"jsonrpc":"2.0","id":3,"method":"prompts/list"}`)
	s.Server(131, `{"jsonrpc":"2.0","id":3,"result":{"prompts":[{"name":"greet","arguments":[{"name":"name","description":"whom","required":true},{"name":"language"}]}]}}`)
	s.Client(140, `{"jsonrpc":"2.0","id":4,"method":"resources/templates/list"}`)
	s.Server(141, `{"jsonrpc":"2.0","id":4,"result":{"resourceTemplates":[{"name":"city","uriTemplate":"demo://city/{name}{?units}"}]}}`)
	s.Client(150, `{"jsonrpc":"2.0","id":5,"method":"resources/list"}`)
	s.Server(151, `{"jsonrpc":"2.0","id":5,"result":{"resources":[{"name":"about","uri":"demo://about"}]}}`)
	s.Client(400, `{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"_meta":{"trace":"x1"},"name":"brew","arguments":{"leaves":"blue","steep":"3.0"},"more":[1.50]}}`)
	s.Server(401, `{"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"no blue leaves"}}`)
	return s
}

// historyDir is a folder for a history. It goes with the process: what a screen
// still writes when its test is over has a place.
func historyDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(os.Getenv("XDG_CACHE_HOME"), "history")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// composing opens a screen on a session with a server.
func composing(t *testing.T, w, h int, src source.Source) *termtest.Session {
	t.Helper()
	s := show(t, w, h, screen.Options{History: historyDir(t)}, src)
	s.WaitText("traffic")
	s.WaitText("brew")
	return s
}

// line is the next line that the server was sent.
func (c *calling) line(t *testing.T) string {
	t.Helper()
	select {
	case line := <-c.lines:
		return line
	case <-t.Context().Done():
		return ""
	}
}

// TestComposeTool holds that a tool found in the picker is called with what was
// filled in, and that its problems are asked about.
func TestComposeTool(t *testing.T) {
	c := callingIn(t, client.Legacy, offering(t))
	s := composing(t, 120, 40, c)
	s.Type(":compose\r")
	s.WaitText("demo://city/{name}")
	s.Type("tool echo")
	s.WaitFor(func(screen string) bool { return !strings.Contains(screen, "demo://city") })
	s.Keys("enter")
	s.WaitText("gives back what it gets")
	s.WaitText("* required: message")
	s.Keys("ctrl+s")
	s.WaitText("send anyway?")
	s.Keys("n")
	waitGone(s, "send anyway?")
	s.Type("hello")
	s.Keys("ctrl+s")
	if got, want := c.line(t), `"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello"}`; !strings.Contains(got, want) {
		t.Errorf("sent %s, want %s", got, want)
	}
	waitGone(s, "gives back what it gets")
	sane(t, s)
}

// A connecting server has a client only when connected is set.
type connecting struct {
	*calling
	connected atomic.Bool
}

func (c *connecting) Client() *client.Client {
	if c.connected.Load() {
		return c.peer
	}
	return nil
}

// TestComposeAtList holds that c at a list of tools offers the tools, and that e edits the
// request for the list.
func TestComposeAtList(t *testing.T) {
	s := composing(t, 120, 40, callingIn(t, client.Legacy, offering(t)))
	s.Type(":filter m:tools/list\r")
	s.WaitText("m:tools/list")
	s.Keys("g", "c")
	s.WaitText("demo://city/{name}") // in the offers, not in the list of tools
	s.Keys("esc", "e")
	s.WaitText("from #")
}

// TestComposeConnecting holds that the picker has what the server offers also where it was
// opened before there was a connection.
func TestComposeConnecting(t *testing.T) {
	c := &connecting{calling: callingIn(t, client.Legacy, handshakeDeclaring(panetest.New(t), ""))}
	s := show(t, 120, 40, screen.Options{History: historyDir(t)}, c)
	s.WaitText("traffic")
	s.Type(":compose\r")
	s.WaitText("tools/call")
	c.connected.Store(true)
	s.Type("tool add")
	s.WaitText("Adds two numbers")
}

// TestComposeEdit holds that all of a request is kept that was not edited, and
// that c takes the arguments alone.
func TestComposeEdit(t *testing.T) {
	c := callingIn(t, client.Legacy, offering(t))
	s := composing(t, 120, 40, c)
	s.Keys("e")
	s.WaitText("from #")
	s.WaitText("✖ leaves")
	s.Keys("ctrl+s")
	s.WaitText("send anyway?")
	s.Keys("y")
	if got, want := c.line(t), `"name":"brew","arguments":{"leaves":"blue","steep":"3.0"},"more":[1.50]`; !strings.Contains(got, want) || !strings.Contains(got, `"trace":"x1"`) {
		t.Errorf("sent %s, want %s", got, want)
	}
	waitGone(s, "from #")
	s.Keys("c")
	s.WaitText("from #")
	s.Keys("ctrl+s")
	s.WaitText("send anyway?")
	s.Keys("y")
	if got := c.line(t); strings.Contains(got, "trace") || strings.Contains(got, "more") || !strings.Contains(got, `"steep":"3.0"`) {
		t.Errorf("sent %s", got)
	}
	waitGone(s, "from #")
	s.Keys("D")
	s.WaitText("copy of #")
	s.Keys("ctrl+s")
	s.WaitText("send anyway?")
	s.Keys("y")
	if got := c.line(t); !strings.Contains(got, `"trace":"x1"`) {
		t.Errorf("sent %s", got)
	}
	s.WaitText("copy of #") // it stays
}

// TestComposeOthers holds what other methods become: their parameters are filled
// in, and what needs none has none.
func TestComposeOthers(t *testing.T) {
	for _, c := range []struct {
		name, command string
		wait          string
		typed         string
		keys          []string
		want          string
	}{
		{"a prompt", ":compose prompts/get greet\r", "whom", "Ann", []string{"ctrl+s"}, `"method":"prompts/get","params":{"name":"greet","arguments":{"name":"Ann"}}`},
		{"a template", ":compose resources/read demo://city/{name}{?units}\r", "units", "São Paulo", []string{"tab"}, ""},
		{"a resource", ":compose resources/read demo://about\r", "demo://about", "", []string{"ctrl+s"}, `"method":"resources/read","params":{"uri":"demo://about"}}`},
		{"a listing", ":compose tools/list\r", "cursor", "", []string{"ctrl+s"}, `"method":"tools/list"}`},
		{"a ping", ":compose ping\r", "ping", "", []string{"ctrl+s"}, `"method":"ping"}`},
		{"a notification", ":compose notifications/roots/list_changed\r", "roots/list_changed", "", []string{"ctrl+s"}, `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`},
		{"unknown", ":compose tea/pour\r", "tea/pour", "", []string{"ctrl+s"}, `"method":"tea/pour","params":{}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			src := callingIn(t, client.Legacy, offering(t))
			s := composing(t, 120, 40, src)
			s.Type(c.command)
			s.WaitText("[form]")
			s.WaitText(c.wait)
			s.Type(c.typed)
			s.Keys(c.keys...)
			if c.want == "" {
				s.Type("°C")
				s.Keys("ctrl+s")
				c.want = `"params":{"uri":"demo://city/S%C3%A3o%20Paulo?units=%C2%B0C"}}`
			}
			got := src.line(t)
			for strings.Contains(got, "completion/complete") {
				got = src.line(t)
			}
			if !strings.Contains(got, c.want) {
				t.Errorf("sent %s, want %s", got, c.want)
			}
		})
	}
}

// TestComposeTypeAhead holds that what is typed before the form is there goes
// into it and does nothing else.
func TestComposeTypeAhead(t *testing.T) {
	c := callingIn(t, client.Legacy, offering(t))
	s := composing(t, 120, 40, c)
	s.Type(":compose tools/call echo\rq!R")
	s.WaitText("q!R")
	s.Keys("ctrl+s")
	if got := c.line(t); !strings.Contains(got, `{"message":"q!R"}`) {
		t.Errorf("sent %s", got)
	}
}

// TestComposeCompletes holds that candidates come from the server.
func TestComposeCompletes(t *testing.T) {
	c := callingIn(t, client.Legacy, offering(t))
	s := composing(t, 120, 40, c)
	s.Type(":compose prompts/get greet\r")
	s.WaitText("whom")
	s.Keys("tab")
	s.Type("E")
	for {
		got := c.line(t)
		if strings.Contains(got, `"method":"completion/complete"`) && strings.Contains(got, `{"type":"ref/prompt","name":"greet"}`) && strings.Contains(got, `{"name":"language","value":"E"}`) {
			break
		}
		if got == "" {
			t.Fatal("nothing was asked for")
		}
	}
	s.WaitText("English")
}

// TestComposeCannot holds that who cannot send is told so.
func TestComposeCannot(t *testing.T) {
	over := offering(t)
	over.End()
	s := show(t, 120, 40, screen.Options{}, sourceOf(over, "old.mcpcap.jsonl"))
	s.WaitText("traffic")
	for _, key := range []string{"c", "e", "D"} {
		s.Keys(key)
		s.WaitText("this is a recording")
	}
	c := callingIn(t, client.Legacy, offering(t))
	s = show(t, 120, 40, screen.Options{}, c)
	s.WaitText("brew")
	s.Type(":history\r")
	s.WaitText("no history is kept")
}

// TestComposeScreens holds whole screens.
func TestComposeScreens(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {90, 50}} {
		for _, colour := range []bool{true, false} {
			name := fmt.Sprintf("composer-%dx%d", size[0], size[1])
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				c := callingIn(t, client.Legacy, offering(t))
				s := show(t, size[0], size[1], screen.Options{NoColour: !colour}, c)
				s.WaitText("brew")
				s.Type(":compose tools/call brew\r")
				s.WaitText("makes tea")
				s.WaitText("* required: ")
				s.Golden(name)
				sane(t, s)
				s.Terminal(func(term *termtest.Terminal) { whole(t, term) })
			})
		}
	}
}

// TestComposeLands holds that the cursor goes to the request that was sent, and
// then to its answer, but not where somebody has gone elsewhere.
func TestComposeLands(t *testing.T) {
	written := offering(t)
	c := callingIn(t, client.Legacy, written)
	s := composing(t, 120, 40, c)
	send := func(ms float64, id string) {
		s.Type(":compose tools/call echo\r")
		s.WaitText("gives back what it gets")
		s.Type("hello")
		s.Keys("ctrl+s")
		c.line(t)
		waitGone(s, "gives back what it gets")
		written.Server(ms, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"first"}}`)
		written.Client(ms+1, `{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello"}}}`)
		written.Server(ms+2, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"second"}}`)
		c.more()
		waitRow(s, "→")
		waitRow(s, "echo")
	}
	answer := func(ms float64, id string) {
		written.Server(ms, `{"jsonrpc":"2.0","id":`+id+`,"result":{"content":[{"type":"text","text":"Echo: hello"}]}}`)
		c.more()
	}
	send(1000, "7")
	answer(1100, "7")
	waitRow(s, "←")
	s.WaitText("Echo: hello")
	send(2000, "8")
	s.Keys("g")
	waitRow(s, "server started")
	answer(2100, "8")
	s.WaitText("22 ")
	waitRow(s, "server started")
	both := func() { // request and answer at once
		s.Type(":compose tools/call echo\r")
		s.WaitText("gives back what it gets")
		s.Type("hello")
		s.Keys("ctrl+s")
		c.line(t)
		waitGone(s, "gives back what it gets")
		written.Client(3000, `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello"}}}`)
		written.Server(3001, `{"jsonrpc":"2.0","id":9,"result":{"content":[{"type":"text","text":"Echo: hello"}]}}`)
		written.Server(3002, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"third"}}`)
		c.more()
	}
	s.Keys("}", "}", "}", "}", "}") // to the tab findings, which says nothing of a new call
	s.WaitText("no findings")
	both()
	waitRow(s, "3.001")
	s.WaitText("arguments of echo")
}

// TestComposeStays holds that a composer that stays open over the traffic says what
// has come of what was sent.
func TestComposeStays(t *testing.T) {
	written := offering(t)
	c := callingIn(t, client.Legacy, written)
	s := composing(t, 80, 24, c)
	s.Type(":compose tools/call echo\r")
	s.WaitText("gives back what it gets")
	s.Keys("alt+k")
	s.WaitText("after sending: stay open")
	s.Type("hello")
	s.Keys("ctrl+s")
	c.line(t)
	written.Client(1000, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello"}}}`)
	c.more()
	pending := regexp.MustCompile(`tools/call echo #\d+ · .* ─╮`)
	s.WaitFor(func(screen string) bool { return pending.MatchString(screen) })
	written.Server(1100, `{"jsonrpc":"2.0","id":7,"result":{"isError":true,"content":[]}}`)
	c.more()
	s.WaitText(" · 100 ms · tool error ─╮")
	s.WaitText("gives back what it gets")
}

// TestComposeModern holds what the modern era has besides: what wiretea puts into
// each request is put there anew, and a request asks for its log messages.
func TestComposeModern(t *testing.T) {
	const meta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"wiretea","version":"1"}`
	written := panetest.New(t)
	written.Proc(0, session.Proc{Event: "start", PID: 4711})
	written.Client(10, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"brew","arguments":{},"_meta":{`+meta+`,"mine":1,"progressToken":"wiretea-7"}}}`)
	c := callingIn(t, client.Modern, written)
	s := composing(t, 120, 40, c)
	s.Keys("e")
	s.WaitText("logs: none")
	s.Keys("alt+l", "alt+l")
	s.WaitText("logs: info")
	s.Keys("ctrl+o")
	s.WaitText("[raw]")
	s.Keys("ctrl+s")
	got := c.line(t)
	for strings.Contains(got, "tools/list") { // the tool is not known
		got = c.line(t)
	}
	for _, want := range []string{`"mine":1`, `"io.modelcontextprotocol/logLevel":"info"`, `"name":"brew"`} {
		if strings.Count(got, want) != 1 {
			t.Errorf("sent %s without %s", got, want)
		}
	}
	if strings.Contains(got, `"wiretea-7"`) || strings.Count(got, "protocolVersion") != 1 {
		t.Errorf("sent %s", got)
	}
}
