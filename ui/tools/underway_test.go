package tools_test

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"wiretea/session"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
	"wiretea/ui/source"
	"wiretea/ui/tools"
)

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}`

// legacy is a server of 2025-11-25 that has resources and tasks.
func legacy(t testing.TB) *panetest.Session {
	s := panetest.New(t)
	s.Client(1, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"wiretea","version":"0.1"}}}`)
	s.Server(2, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{"subscribe":true},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}},"serverInfo":{"name":"s","version":"1"}}}`)
	s.Client(3, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	list(s, 4, "2", "tools/list", `{}`, `{"tools":[{"name":"brew","execution":{"taskSupport":"optional"},"inputSchema":{"type":"object"}}]}`)
	list(s, 6, "3", "resources/list", `{}`, `{"resources":[{"uri":"demo://note","name":"note"},{"uri":"demo://tea","name":"tea"}]}`)
	return s
}

// modernEra is a server of 2026-07-28 likewise.
func modernEra(t testing.TB) *panetest.Session {
	s := panetest.New(t)
	s.Client(1, `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{`+meta+`}}`)
	s.Server(2, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true},"extensions":{"io.modelcontextprotocol/tasks":{}}},"ttlMs":0,"cacheScope":"public"}}`)
	list(s, 4, "2", "tools/list", `{`+meta+`}`, `{"resultType":"complete","tools":[{"name":"brew","inputSchema":{"type":"object"}}],"ttlMs":0,"cacheScope":"public"}`)
	list(s, 6, "3", "resources/list", `{`+meta+`}`, `{"resultType":"complete","resources":[{"uri":"demo://note","name":"note"}],"ttlMs":0,"cacheScope":"public"}`)
	return s
}

// see gives the pane what was written since, and draws it.
func see(t testing.TB, s *panetest.Session, p *tools.Pane, c *pane.Context) string {
	t.Helper()
	s.Update(c)
	panetest.Tell(t, p, c, pane.MovedMsg{})
	return panetest.Text(t, p, c, 120, 40)
}

// asks holds what an action asks of the screen.
func asks(t *testing.T, p *tools.Pane, c *pane.Context, a keys.Action, want ...tea.Msg) {
	t.Helper()
	if why := p.Disabled(c, a); why != "" {
		t.Fatalf("%s is disabled: %s", a, why)
	}
	if diff := cmp.Diff(want, panetest.Do(t, p, c, a)); diff != "" {
		t.Errorf("%s: -want +got:\n%s", a, diff)
	}
}

// TestSubscribed follows resources/subscribe from its answer to its end.
func TestSubscribed(t *testing.T) {
	s := legacy(t)
	p, c := open(t, s)
	to(t, p, c, "note")
	asks(t, p, c, keys.Subscribe, pane.SubscribeMsg{URI: "demo://note"})
	list(s, 1000, "10", "resources/subscribe", `{"uri":"demo://note"}`, `{}`)
	for i := range 3 {
		s.Server(2000+float64(i), `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"demo://note/part"}}`)
	}
	s.Server(3000, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"demo://tea"}}`)
	s.Server(9000, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"time passes"}}`)
	see(t, s, p, c)
	to(t, p, c, "note")
	asks(t, p, c, keys.Subscribe, pane.SubscribeMsg{URI: "demo://note", Off: true})
	to(t, p, c, "● demo://note")
	panetest.Golden(t, "subscribed", panetest.Text(t, p, c, 110, 20))
	if got := p.SubscribedURIs(); fmt.Sprint(got) != "[demo://note]" {
		t.Errorf("subscribed to %v", got)
	}
	asks(t, p, c, keys.Subscribe, pane.SubscribeMsg{URI: "demo://note", Off: true})
	asks(t, p, c, keys.Cancel, pane.SubscribeMsg{URI: "demo://note", Off: true})
	asks(t, p, c, keys.Enter, pane.GotoMsg{Row: 7})
	list(s, 10000, "11", "resources/unsubscribe", `{"uri":"demo://note"}`, `{}`)
	s.Client(10100, `{"jsonrpc":"2.0","id":12,"method":"resources/subscribe","params":{"uri":"demo://tea"}}`)
	s.Server(10101, `{"jsonrpc":"2.0","id":12,"error":{"code":-32602,"message":"no"}}`)
	if text := see(t, s, p, c); !strings.Contains(text, "unsubscribed") || len(p.SubscribedURIs()) != 0 {
		t.Errorf("it has not ended:\n%s", text)
	}
	if p.Disabled(c, keys.Cancel) == "" || p.Subscribed("demo://tea") != nil {
		t.Error("what has ended, or was refused, can be ended")
	}
}

// TestListened follows two subscriptions/listen at once: each notification belongs
// to the one that it names.
func TestListened(t *testing.T) {
	s := modernEra(t)
	s.Client(1000, `{"jsonrpc":"2.0","id":10,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},`+meta+`}}`)
	s.Client(1001, `{"jsonrpc":"2.0","id":"n","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["demo://note"]},`+meta+`}}`)
	p, c := open(t, s)
	to(t, p, c, "… changes of tools")
	if text := see(t, s, p, c); !strings.Contains(text, "asked for") {
		t.Errorf("it is not waited for:\n%s", text)
	}
	of := func(id string) string { return `"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}` }
	s.Server(1010, `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{`+of("10")+`,"notifications":{"toolsListChanged":true}}}`)
	s.Server(1011, `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{`+of(`"n"`)+`,"notifications":{"toolsListChanged":true,"resourceSubscriptions":["demo://note"]}}}`)
	s.Server(1020, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{`+of(`"n"`)+`}}`)
	s.Server(1030, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"demo://note",`+of(`"n"`)+`}}`)
	s.Server(1040, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{`+of("10")+`}}`)
	s.Server(9_000_000, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{`+of(`"n"`)+`}}`)
	see(t, s, p, c)
	to(t, p, c, "● changes of tools and")
	panetest.Golden(t, "listened", panetest.Text(t, p, c, 110, 20))
	row := p.Subscribed("demo://note")
	if row == nil || !row.Listen || row.Alone {
		t.Fatalf("subscribed by %+v", row)
	}
	asks(t, p, c, keys.Cancel, pane.CancelMsg{Row: row.Row})
	s.Client(9_000_100, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"n"}}`)
	s.Server(9_000_200, `{"jsonrpc":"2.0","id":10,"result":{"resultType":"complete",`+of("10")+`}}`)
	text := see(t, s, p, c)
	for _, words := range []string{"✖ changes of", "3 updates, cancelled", "1 update, the serv"} {
		if !strings.Contains(text, words) {
			t.Errorf("%q is not in\n%s", words, text)
		}
	}
	// A request that stays open for hours is not a fault.
	if got := c.Snap.Totals(); got.Late+got.Findings[session.Warning]+got.Findings[session.Error] != 0 {
		t.Errorf("%d late, findings %v", got.Late, c.Snap.Findings())
	}
}

// TestLegacyTask follows a task of 2025-11-25.
func TestLegacyTask(t *testing.T) {
	s := legacy(t)
	p, c := open(t, s)
	to(t, p, c, "brew")
	asks(t, p, c, keys.Enter, pane.ComposeMsg{Method: "tools/call", Name: "brew", Schema: []byte(`{"type":"object"}`), Task: pane.MayTask})
	task := func(status, message string) string {
		return `{"taskId":"t-1","status":"` + status + `","statusMessage":"` + message + `","createdAt":"2026-11-20T10:00:00Z","lastUpdatedAt":"2026-11-20T10:00:00Z","ttl":60000,"pollInterval":500}`
	}
	list(s, 1000, "10", "tools/call", `{"name":"brew","arguments":{},"task":{}}`, `{"task":`+task("working", "")+`}`)
	list(s, 1500, "11", "tasks/get", `{"taskId":"t-1"}`, task("working", "boiling water"))
	list(s, 2000, "12", "tasks/get", `{"taskId":"t-1"}`, task("working", "steeping \\u001b[31mred"))
	see(t, s, p, c)
	to(t, p, c, "▸ brew")
	panetest.Golden(t, "task-working", panetest.Text(t, p, c, 110, 20))
	want := pane.CancelTaskMsg{ID: "t-1", Request: "10", Conn: 1, What: "brew"}
	asks(t, p, c, keys.Cancel, want)
	asks(t, p, c, keys.Enter, pane.GotoMsg{Row: 7})
	if got, ok := p.Task(c.Snap, c.Snap.Row(9).Op); !ok || got != want {
		t.Errorf("the poll's operation has the task %+v, %t", got, ok)
	}
	list(s, 2500, "13", "tasks/get", `{"taskId":"t-1"}`, task("completed", "poured"))
	list(s, 2600, "14", "tasks/result", `{"taskId":"t-1"}`, `{"content":[]}`)
	list(s, 2700, "15", "tasks/list", `{}`, `{"tasks":[`+task("completed", "poured")+`,{"taskId":"old","status":"failed","statusMessage":"spilt"}]}`)
	see(t, s, p, c)
	to(t, p, c, "✔ brew")
	panetest.Golden(t, "task-completed", panetest.Text(t, p, c, 110, 20))
	if why := p.Disabled(c, keys.Cancel); !strings.Contains(why, "completed") {
		t.Errorf("a task that has ended can be cancelled: %q", why)
	}
	if _, ok := p.Task(c.Snap, c.Snap.Row(9).Op); ok {
		t.Error("the operation still has a task to cancel")
	}
	to(t, p, c, "tasks ")
	asks(t, p, c, keys.Enter, pane.ListMsg{Methods: []string{"tasks/list"}})
	if text := panetest.Text(t, p, c, 110, 20); !strings.Contains(text, "✖ old  failed") {
		t.Errorf("a listed task is not shown:\n%s", text)
	}
}

// TestToldBefore holds that a task is one although its state is told before the
// answer that it was made by.
func TestToldBefore(t *testing.T) {
	s := legacy(t)
	s.Client(1000, `{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"brew","task":{}}}`)
	s.Server(1001, `{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"t","status":"working","statusMessage":"early"}}`)
	p, c := open(t, s)
	if text := panetest.Text(t, p, c, 120, 24); !strings.Contains(text, "▸ t  working") {
		t.Errorf("shown is\n%s", text)
	}
	s.Server(1002, `{"jsonrpc":"2.0","id":10,"result":{"task":{"taskId":"t","status":"working","statusMessage":"made"}}}`)
	if text := see(t, s, p, c); !strings.Contains(text, "▸ brew  working, 2.00 ms: made") || strings.Contains(text, "▸ t ") {
		t.Errorf("shown is\n%s", text)
	}
	p, c = open(t, s)
	if text := panetest.Text(t, p, c, 120, 24); !strings.Contains(text, "▸ brew  working") || strings.Contains(text, "▸ t ") {
		t.Errorf("read at once, shown is\n%s", text)
	}
}

// TestModernTask follows a task of the extension, whose result is in its state.
func TestModernTask(t *testing.T) {
	s := modernEra(t)
	p, c := open(t, s)
	to(t, p, c, "brew")
	asks(t, p, c, keys.Enter, pane.ComposeMsg{Method: "tools/call", Name: "brew", Schema: []byte(`{"type":"object"}`), Task: pane.MustTask})
	list(s, 1000, "10", "tools/call", `{"name":"brew",`+meta+`}`, `{"resultType":"task","taskId":"m","status":"working","ttlMs":null,"pollIntervalMs":1000}`)
	s.Server(1100, `{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"m","status":"input_required","statusMessage":"milk?","ttlMs":null}}`)
	see(t, s, p, c)
	to(t, p, c, "? brew")
	if text := panetest.Text(t, p, c, 110, 20); !strings.Contains(text, "input required") || !strings.Contains(text, "milk?") {
		t.Errorf("shown is\n%s", text)
	}
	list(s, 1200, "11", "tasks/get", `{"taskId":"m",`+meta+`}`, `{"resultType":"complete","taskId":"m","status":"completed","result":{"content":[]},"ttlMs":null}`)
	text := see(t, s, p, c)
	if !strings.Contains(text, "✔ completed, 201 ms") || !strings.Contains(text, "its result is #") {
		t.Errorf("shown is\n%s", text)
	}
}

// TestLost holds that what was open is lost with its connection.
func TestLost(t *testing.T) {
	s := legacy(t)
	list(s, 1000, "10", "resources/subscribe", `{"uri":"demo://note"}`, `{}`)
	list(s, 1010, "11", "tools/call", `{"name":"brew","task":{}}`, `{"task":{"taskId":"t","status":"working"}}`)
	s.Proc(2000, session.Proc{Event: "exit", Code: 1})
	s.IO(2001, session.S2C, session.IOEvent{Event: "eof", Side: "server"})
	s.IO(2002, session.Stderr, session.IOEvent{Event: "eof", Side: "server"})
	s.End()
	p, c := open(t, s)
	if text := panetest.Text(t, p, c, 200, 40); !strings.Contains(text, "0 updates, connection closed") || !strings.Contains(text, "lost: connection closed") {
		t.Errorf("shown is\n%s", text)
	}
}

// TestManyUpdates holds that a flood of updates is counted and costs what it may.
func TestManyUpdates(t *testing.T) {
	s := legacy(t)
	list(s, 1000, "10", "resources/subscribe", `{"uri":"demo://note"}`, `{}`)
	for i := range 20_000 {
		s.Server(2000+float64(i)/100, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"demo://note"}}`)
	}
	p, c := open(t, s)
	if text := panetest.Text(t, p, c, 200, 40); !strings.Contains(text, "20,000 updates") {
		t.Errorf("shown is\n%s", text)
	}
}

// TestNarrow holds what is shown of what is looked for, and how one goes through
// it.
func TestNarrow(t *testing.T) {
	p, c := open(t, server(t))
	p.Narrow("DELETES")
	text := panetest.Text(t, p, c, 100, 12)
	if !strings.Contains(text, "wipe") || strings.Contains(text, "echo") || strings.Contains(text, "prompts  ") || !strings.Contains(text, "1 of 2") {
		t.Errorf("shown is\n%s", text)
	}
	p.Narrow("e")
	panetest.Golden(t, "narrowed", panetest.Text(t, p, c, 100, 14))
	var names []string
	for range 12 {
		names = append(names, strings.Fields(strings.Split(panetest.Text(t, p, c, 100, 14), "│ ")[1])[0])
		panetest.Do(t, p, c, keys.SearchNext)
	}
	first := names[0]
	if names[1] == first || !strings.Contains(strings.Join(names[1:], " "), first) {
		t.Errorf("n goes to %v", names)
	}
	panetest.Do(t, p, c, keys.SearchPrev)
	p.Narrow("nothing has this")
	panetest.Sizes(t, p, c)
	for _, a := range []keys.Action{keys.Enter, keys.Subscribe, keys.Cancel, keys.Refresh} {
		p.Disabled(c, a)
		p.Do(c, a)
	}
	if p.Narrow(""); p.Narrowed() != "" {
		t.Error("it is still narrowed")
	}
	if _, mine := p.Do(c, keys.SearchNext); mine {
		t.Error("n is the page's while it is not narrowed")
	}
}

// TestGoesOn holds that in somebody else's session the pages of a list are asked
// for one after the other, once each, and that a circle ends it.
func TestGoesOn(t *testing.T) {
	s := server(t)
	p, c := open(t, s)
	c.Attached = &source.Attachment{Client: 1}
	to(t, p, c, "tools ")
	asks(t, p, c, keys.Enter, pane.ListMsg{Methods: []string{"tools/list"}})
	next := func(ms float64, id, params, cursor string) []tea.Msg {
		list(s, ms, id, "tools/list", params, `{"tools":[`+echo+`],"nextCursor":`+cursor+`}`)
		at := c.Attached
		s.Update(c)
		c.Attached = at
		return append(panetest.Tell(t, p, c, pane.MovedMsg{}), panetest.Tell(t, p, c, pane.MovedMsg{})...)
	}
	list := func(cursor string) []tea.Msg {
		return []tea.Msg{pane.ListMsg{Methods: []string{"tools/list"}, Cursor: []byte(cursor)}}
	}
	if diff := cmp.Diff(list(`"b <"`), next(100, "20", `{}`, `"b <"`)); diff != "" {
		t.Errorf("after the first page: %s", diff)
	}
	if diff := cmp.Diff(list(`"c"`), next(110, "21", `{"cursor":"b \u003c"}`, `"c"`)); diff != "" {
		t.Errorf("after the second page: %s", diff)
	}
	if got := next(120, "22", `{"cursor":"c"}`, `"b <"`); len(got) != 0 {
		t.Errorf("the circle is followed: %v", got)
	}
	if got := next(130, "23", `{}`, `"b <"`); len(got) != 0 {
		t.Errorf("what the client lists is gone through: %v", got)
	}
}
