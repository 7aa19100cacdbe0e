package detail_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"wiretea/session"
	"wiretea/ui/detail"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
	"wiretea/ui/style"
)

const (
	initialize  = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`
	ready       = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

// conversation is a session with a call of every kind. The numbers of its rows
// are those of their lines here.
func conversation(t testing.TB) *panetest.Session {
	s := panetest.New(t)
	s.Proc(0, session.Proc{Event: "start", PID: 4711, FDs: []string{"pipe", "pipe", "pipe"}})                                                                  // 0
	s.Client(1, initialize)                                                                                                                                    // 1
	s.Server(41, initialized)                                                                                                                                  // 2
	s.Client(42, ready)                                                                                                                                        // 3
	s.Client(1000, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi 'there'"},"_meta":{"progressToken":7}}}`) // 4
	s.Server(1010, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1,"total":2}}`)                                  // 5
	s.Stderr(1015, "echoing \x1b[1mhi\x1b[m")                                                                                                                  // 6
	s.Server(1023.4, `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"Echo: hi 'there'"}]}}`)                                              // 7
	s.Client(2000, `{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"echo","arguments":{}}}`)                                                   // 8
	s.Server(2100, `{"jsonrpc":"2.0","id":8,"error":{"code":-32601,"message":"no such tool"}}`)                                                                // 9
	s.Server(2200, "Server started!")                                                                                                                          // 10
	s.Client(3000, `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"slow","arguments":{}}}`)                                                   // 11
	s.Server(3001, `{"jsonrpc":"2.0","id":99,"result":{}}`)                                                                                                    // 12
	s.Server(3002, "{\n  \"jsonrpc\": \"2.0\",\n  \"method\": \"notifications/tools/list_changed\"\n}")                                                        // 13–16
	s.Bytes(3003, session.S2C, "\x00\x01\x02binary\xff\xfe\n")                                                                                                 // 17
	s.Stderr(15400, `{"level":"info","msg":"still here"}`)                                                                                                     // 18
	return s
}

// at puts the cursor on a row and lets the pane read.
func at(t testing.TB, p *detail.Pane, c *pane.Context, row uint32) []tea.Msg {
	t.Helper()
	c.Cursor = row
	return panetest.Tell(t, p, c, pane.CursorMovedMsg{})
}

// open opens a row on the tab that shows its bytes.
func open(t testing.TB, row uint32) (*detail.Pane, *pane.Context) {
	t.Helper()
	c := conversation(t).Context()
	p := detail.New()
	p.View(c, 60, 20, true)
	at(t, p, c, row)
	exact(t, p, c)
	return p, c
}

// exact goes from the tab content on to the request of a request, or the response of a
// response.
func exact(t testing.TB, p *detail.Pane, c *pane.Context) {
	t.Helper()
	tabs, _, _ := strings.Cut(panetest.Text(t, p, c, 60, 20), "\n")
	if !strings.Contains(tabs, "content") {
		return
	}
	panetest.Do(t, p, c, keys.NextTab)
	if kind := c.Snap.Row(c.Cursor).Kind; kind == session.RowResult || kind == session.RowError {
		panetest.Do(t, p, c, keys.NextTab)
	}
}

// page is the pane as text, with its title.
func page(t testing.TB, p *detail.Pane, c *pane.Context, w, h int) string {
	t.Helper()
	body := panetest.Text(t, p, c, w, h)
	left, right := p.Title(c)
	return fmt.Sprintf("%s ── %s\n%s", left, plain(right), body)
}

func plain(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == 0x1b {
			for s[i] != 'm' {
				i++
			}
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func TestPages(t *testing.T) {
	cases := []struct {
		name string
		row  uint32
		acts []keys.Action
		w, h int
	}{
		{"request", 4, nil, 60, 20},
		{"response", 7, nil, 60, 20},
		{"response-of-request", 4, []keys.Action{keys.NextTab}, 60, 20},
		{"response-narrow", 7, nil, 20, 12},
		{"raw", 7, []keys.Action{keys.NextTab}, 60, 8},
		{"timing", 7, []keys.Action{keys.NextTab, keys.NextTab}, 76, 34},
		{"timing-pending", 11, []keys.Action{keys.PrevTab, keys.PrevTab}, 60, 24},
		{"findings", 10, []keys.Action{keys.PrevTab}, 60, 20},
		{"error", 9, nil, 60, 14},
		{"pending", 11, []keys.Action{keys.NextTab}, 60, 6},
		{"orphan", 12, []keys.Action{keys.PrevTab}, 60, 6},
		{"notification", 5, nil, 60, 14},
		{"text", 10, nil, 60, 10},
		{"joined", 16, nil, 60, 10},
		{"joined-raw", 16, []keys.Action{keys.NextTab}, 60, 10},
		{"part", 13, nil, 60, 10},
		{"binary", 17, nil, 60, 10},
		{"stderr", 18, nil, 60, 10},
		{"process", 0, nil, 60, 12},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			p, c := open(t, tc.row)
			panetest.Do(t, p, c, tc.acts...)
			panetest.Golden(t, tc.name, page(t, p, c, tc.w, tc.h))
			panetest.Sizes(t, p, c)
		})
	}
}

func TestStyled(t *testing.T) {
	p, c := open(t, 7)
	c.Theme = style.New("", true, false)
	panetest.Tell(t, p, c, pane.RestyledMsg{})
	panetest.Golden(t, "styled", strings.Join(p.View(c, 50, 14, true), "\n"))
}

func TestNothingChosen(t *testing.T) {
	c := panetest.New(t).Context()
	p := detail.New()
	panetest.Tell(t, p, c, pane.MovedMsg{})
	panetest.Sizes(t, p, c)
	if left, right := p.Title(c); left != "detail" || right != "" {
		t.Errorf("title %q %q", left, right)
	}
	for i := range keys.Table {
		cmd, _ := p.Do(c, keys.Table[i].Action)
		panetest.Run(t, p, c, cmd)
		p.Disabled(c, keys.Table[i].Action)
	}
}

// TestEveryActionEverywhere has every action carried out at every row in every
// tab.
func TestEveryActionEverywhere(t *testing.T) {
	c := conversation(t).Context()
	p := detail.New()
	for row := range uint32(c.Snap.Len()) {
		at(t, p, c, row)
		for range 5 {
			for i := range keys.Table {
				a := keys.Table[i].Action
				if p.Disabled(c, a) == "" && a != keys.NextTab && a != keys.PrevTab {
					cmd, _ := p.Do(c, a)
					panetest.Run(t, p, c, cmd)
				}
				panetest.Text(t, p, c, 50, 12)
			}
			panetest.Do(t, p, c, keys.NextTab)
		}
	}
}

func TestTabIsRemembered(t *testing.T) {
	c := conversation(t).Context()
	p := detail.New()
	p.View(c, 60, 20, true)
	at(t, p, c, 4)
	shows := func(want string) {
		t.Helper()
		if got := panetest.Text(t, p, c, 60, 20); !strings.Contains(got, want) {
			t.Errorf("%q is not shown:\n%s", want, got)
		}
	}
	shows("arguments of echo")
	at(t, p, c, 7)
	shows("Echo: hi 'there'")
	panetest.Do(t, p, c, keys.NextTab, keys.NextTab, keys.NextTab) // raw
	at(t, p, c, 10)
	shows("Server started!␊")
	at(t, p, c, 0)
	shows("server started")
	at(t, p, c, 4)
	shows(`{"jsonrpc":"2.0","id":7,"method":"tools/call"`)
	panetest.Do(t, p, c, keys.PrevTab) // response, of every row from now on
	at(t, p, c, 8)
	shows(`"message": "no such tool"`)
}

func TestAsks(t *testing.T) {
	cases := []struct {
		name string
		row  uint32
		acts []keys.Action
		want tea.Msg
	}{
		{"pair of a request", 4, []keys.Action{keys.Pair}, pane.GotoMsg{Row: 7}},
		{"pair of a response", 7, []keys.Action{keys.Pair}, pane.GotoMsg{Row: 4}},
		{"value", 7, []keys.Action{keys.Down, keys.CopyValue}, pane.CopyMsg{What: "the value", Text: `"2.0"`}},
		{"whole value", 7, []keys.Action{keys.CopyValue}, pane.CopyMsg{What: "the value", Text: `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"Echo: hi 'there'"}]}}`}},
		{"path", 7, []keys.Action{keys.Bottom, keys.Up, keys.Up, keys.Up, keys.Up, keys.CopyPath}, pane.CopyMsg{What: "the path", Text: `.result.content[0].text`}},
		{"raw", 10, []keys.Action{keys.CopyRaw}, pane.CopyMsg{What: "the raw frame", Text: "Server started!"}},
		{"joined raw", 16, []keys.Action{keys.CopyRaw}, pane.CopyMsg{What: "the raw frame", Text: "{\n  \"jsonrpc\": \"2.0\",\n  \"method\": \"notifications/tools/list_changed\"\n}"}},
		{"call", 7, []keys.Action{keys.CopyCall}, pane.CopyMsg{What: "the command line",
			Text: `wiretea call tools/call '{"name":"echo","arguments":{"message":"hi '\''there'\''"},"_meta":{"progressToken":7}}' --protocol-version 2025-11-25 --cwd /home/ann/project -- node server.js`}},
		{"editor", 9, []keys.Action{keys.Editor}, pane.EditMsg{Name: "frame-", Body: []byte("{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 8,\n  \"error\": {\n    \"code\": -32601,\n    \"message\": \"no such tool\"\n  }\n}\n")}},
		{"explain", 10, []keys.Action{keys.PrevTab, keys.Enter}, pane.ExplainMsg{Rule: "stdout-not-json"}},
		{"goto stderr", 7, []keys.Action{keys.NextTab, keys.NextTab, keys.Bottom, keys.Enter}, pane.GotoMsg{Row: 6}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			p, c := open(t, tc.row)
			var asked []tea.Msg
			for _, a := range tc.acts {
				p.View(c, 60, 30, true)
				asked = append(asked, panetest.Do(t, p, c, a)...)
			}
			if len(asked) == 1 {
				if e, ok := asked[0].(pane.EditMsg); ok && strings.HasSuffix(e.Name, ".json") {
					e.Name = "frame-"
					asked[0] = e
				}
			}
			if diff := cmp.Diff([]tea.Msg{tc.want}, asked); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestDisabled(t *testing.T) {
	for _, tc := range []struct {
		row  uint32
		a    keys.Action
		want string
	}{
		{11, keys.Pair, "no response yet"},
		{12, keys.Pair, "no request has this id"},
		{10, keys.Pair, "only requests and responses have a pair"},
		{4, keys.Pair, ""},
		{0, keys.Editor, "an event has no bytes"},
		{10, keys.Editor, ""},
		{10, keys.CopyCall, "no request here"},
		{4, keys.CopyCall, ""},
		{10, keys.CopyPath, "no JSON here"},
		{4, keys.CopyPath, ""},
		{4, keys.Down, ""},
	} {
		p, c := open(t, tc.row)
		if got := p.Disabled(c, tc.a); got != tc.want {
			t.Errorf("row %d, %s: %q, want %q", tc.row, tc.a, got, tc.want)
		}
	}
}

func TestMouse(t *testing.T) {
	p, c := open(t, 4)
	text := panetest.Text(t, p, c, 60, 20)
	tabs := strings.Split(text, "\n")[0]
	panetest.Tell(t, p, c, pane.ClickMsg{X: strings.Index(tabs, "raw"), Y: 0})
	if got := panetest.Text(t, p, c, 60, 20); !strings.Contains(got, `{"jsonrpc":"2.0","id":7,"method"`) {
		t.Errorf("a click on raw shows\n%s", got)
	}
	panetest.Tell(t, p, c, pane.ClickMsg{X: strings.Index(tabs, "request"), Y: 0})
	panetest.Text(t, p, c, 60, 20)
	panetest.Tell(t, p, c, pane.ClickMsg{X: 2, Y: 5}) // the sign of params
	if got := panetest.Text(t, p, c, 60, 20); !strings.Contains(got, `▸ "params": { 3 keys: `) {
		t.Errorf("a click on the sign of params shows\n%s", got)
	}
	panetest.Tell(t, p, c, pane.WheelMsg{Lines: 3})
}

func TestSearch(t *testing.T) {
	p, c := open(t, 7)
	c.Search = pane.Search{Text: "ECHO"}
	panetest.Tell(t, p, c, pane.RestyledMsg{})
	if got := panetest.Text(t, p, c, 60, 20); !strings.Contains(got, ".result.content[0].text") {
		t.Errorf("the cursor is not at the first hit:\n%s", got)
	}
	panetest.Do(t, p, c, keys.SearchNext)
	c.Search = pane.Search{Text: "nowhere"}
	panetest.Tell(t, p, c, pane.RestyledMsg{})
	asked := panetest.Do(t, p, c, keys.SearchNext)
	if diff := cmp.Diff([]tea.Msg{pane.SayMsg{Text: "nothing found in this response", Severity: session.Info}}, asked); diff != "" {
		t.Error(diff)
	}
	c.Search = pane.Search{}
	panetest.Tell(t, p, c, pane.RestyledMsg{})
	if _, mine := p.Do(c, keys.SearchNext); mine {
		t.Error("without a search, next is the pane's")
	}
}

// TestAnswerComes watches a request while its response comes.
func TestAnswerComes(t *testing.T) {
	s := conversation(t)
	c := s.Context()
	p := detail.New()
	p.View(c, 60, 20, true)
	at(t, p, c, 11)
	panetest.Do(t, p, c, keys.NextTab, keys.NextTab)
	if _, right := p.Title(c); plain(right) != "⠼ 12.4 s" {
		t.Errorf("title %q", plain(right))
	}
	s.Server(16000, `{"jsonrpc":"2.0","id":9,"result":{"content":[],"isError":true}}`)
	s.Update(c)
	panetest.Tell(t, p, c, pane.MovedMsg{})
	if _, right := p.Title(c); plain(right) != "13.0 s · tool error" {
		t.Errorf("title %q", plain(right))
	}
	if got := panetest.Text(t, p, c, 60, 20); !strings.Contains(got, `"isError": true`) {
		t.Errorf("the response is not shown:\n%s", got)
	}
}

// TestLongBody reads a body in pieces, and gives it up.
func TestLongBody(t *testing.T) {
	s := panetest.New(t)
	s.Client(1, initialize)
	s.Server(2, `{"jsonrpc":"2.0","id":0,"result":{"list":[`+strings.Repeat(`{"name":"x"},`, 1_000_000)+`"the end"]}}`)
	s.Server(3, "short")
	c := s.Context()
	p := detail.New()
	p.View(c, 60, 10, true)
	c.Cursor = 1
	cmd := p.Update(c, pane.CursorMovedMsg{})
	steps := runSome(t, p, c, cmd, 1)
	if got := panetest.Text(t, p, c, 60, 10); !strings.Contains(got, `▸ "result"`) && !strings.Contains(got, `"list": [`) {
		t.Errorf("the beginning is not shown at once:\n%s", got)
	}
	if _, right := p.Title(c); !strings.HasPrefix(plain(right), "reading ") {
		t.Errorf("title %q", plain(right))
	}
	panetest.Run(t, p, c, tea.Batch(steps...))
	if _, right := p.Title(c); plain(right) != "1.00 ms · ok" {
		t.Errorf("title %q", plain(right))
	}
	panetest.Do(t, p, c, keys.UnfoldAll, keys.Bottom, keys.Up, keys.Up, keys.Up)
	if got := panetest.Text(t, p, c, 60, 10); !strings.Contains(got, ".result.list[1000000]") {
		t.Errorf("the end is not there:\n%s", got)
	}

	// Another row in the middle of it: what comes too late is dropped.
	fresh := detail.New()
	fresh.View(c, 60, 10, true)
	steps = runSome(t, fresh, c, fresh.Update(c, pane.CursorMovedMsg{}), 1)
	at(t, fresh, c, 2)
	panetest.Run(t, fresh, c, tea.Batch(steps...))
	if got := panetest.Text(t, fresh, c, 60, 10); !strings.Contains(got, "short") {
		t.Errorf("the short line is not shown:\n%s", got)
	}
}

// runSome carries out commands and what follows, n rounds deep, and returns what
// is to do next.
func runSome(t testing.TB, p *detail.Pane, c *pane.Context, cmd tea.Cmd, n int) []tea.Cmd {
	t.Helper()
	now := []tea.Cmd{cmd}
	for range n {
		var next []tea.Cmd
		for len(now) > 0 {
			cmd := now[0]
			now = now[1:]
			if cmd == nil {
				continue
			}
			msg := cmd()
			if batch, ok := msg.(tea.BatchMsg); ok {
				now = append(now, batch...)
				continue
			}
			next = append(next, p.Update(c, msg))
		}
		now = next
	}
	return now
}

// TestManyFrames goes through more frames than are kept.
func TestManyFrames(t *testing.T) {
	s := panetest.New(t)
	for i := range 60 {
		s.Server(float64(i), fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/x","params":{"n":%d}}`, i))
	}
	c := s.Context()
	p := detail.New()
	for _, row := range []uint32{0, 20, 40, 59, 0} {
		for i := row; i < min(row+20, 60); i++ {
			at(t, p, c, i)
		}
		at(t, p, c, row)
		if got := panetest.Text(t, p, c, 60, 10); !strings.Contains(got, fmt.Sprintf(`"n": %d`, row)) {
			t.Errorf("row %d shows\n%s", row, got)
		}
	}
}

func BenchmarkView(b *testing.B) {
	for _, tab := range []struct {
		name string
		acts []keys.Action
	}{{"response", nil}, {"timing", []keys.Action{keys.NextTab, keys.NextTab}}} {
		b.Run(tab.name, func(b *testing.B) {
			p, c := open(b, 7)
			panetest.Do(b, p, c, tab.acts...)
			b.ReportAllocs()
			for b.Loop() {
				p.View(c, 200, 60, true)
			}
		})
	}
}

func BenchmarkMove(b *testing.B) {
	p, c := open(b, 7)
	for b.Loop() {
		at(b, p, c, 4)
		at(b, p, c, 9)
	}
}

// BenchmarkOpen100MB is a body of 100 MB: what is shown at once, and all of it.
func BenchmarkOpen100MB(b *testing.B) {
	s := panetest.New(b)
	s.Client(1, initialize)
	s.Server(2, `{"jsonrpc":"2.0","id":0,"result":{"list":[`+strings.Repeat(`{"name":"tool","description":"does the thing"},`, 100_000_000/47)+`0]}}`)
	c := s.Context()
	c.Cursor = 1
	for b.Loop() {
		p := detail.New()
		p.View(c, 100, 50, true)
		begin := time.Now()
		steps := runSome(b, p, c, p.Update(c, pane.CursorMovedMsg{}), 1)
		p.View(c, 100, 50, true)
		b.ReportMetric(float64(time.Since(begin).Microseconds())/1000, "first-ms")
		panetest.Run(b, p, c, tea.Batch(steps...))
	}
}

// TestWays holds that what did not go from one peer to the other says so, on each
// tab of its exchange.
func TestWays(t *testing.T) {
	s := conversation(t)
	s.Injected(16000, `{"jsonrpc":"2.0","id":"wiretea-a-1","method":"tools/list"}`)
	s.Taken(16010, `{"jsonrpc":"2.0","id":"wiretea-a-1","result":{"tools":[]}}`)
	c := s.Context()
	const sent, kept = "↦ sent by wiretea, not by the client", "⇤ the client did not get this"
	last := uint32(c.Snap.Len() - 1)
	for _, step := range []struct {
		row  uint32
		keys []keys.Action
		want string
	}{
		{last - 1, nil, sent}, {last - 1, []keys.Action{keys.NextTab}, kept}, {last, nil, kept},
		{last, []keys.Action{keys.PrevTab}, sent}, {7, nil, ""}, {4, nil, ""},
	} {
		p := detail.New()
		p.View(c, 60, 20, true)
		at(t, p, c, step.row)
		exact(t, p, c)
		panetest.Do(t, p, c, step.keys...)
		text := page(t, p, c, 60, 20)
		for _, words := range []string{sent, kept} {
			if strings.Contains(text, words) != (words == step.want) {
				t.Errorf("row %d after %v:\n%s", step.row, step.keys, text)
			}
		}
		panetest.Sizes(t, p, c)
	}
}

// TestExit holds that an exit shows the last words of its connection on stderr.
func TestExit(t *testing.T) {
	s := panetest.New(t)
	s.Proc(0, session.Proc{Event: "start", PID: 1})
	s.Stderr(1, "an earlier server")
	s.Proc(2, session.Proc{Event: "exit", Code: 1})
	s.Conn(2)
	s.Proc(3, session.Proc{Event: "start", PID: 2})
	s.Stderr(4, "\x1b[31mKeyError: 'TOKEN'")
	s.Proc(5, session.Proc{Event: "exit", Code: 3})
	c, p := s.Context(), detail.New()
	at(t, p, c, uint32(c.Snap.Len()-1))
	text := page(t, p, c, 80, 20)
	if !strings.Contains(text, "exited with code 3") || !strings.Contains(text, `KeyError: 'TOKEN'`) || strings.Contains(text, "earlier") {
		t.Errorf("it shows\n%s", text)
	}
}
