package tools_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"wiretea/session"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
	"wiretea/ui/style"
	"wiretea/ui/tools"
)

const (
	echo = `{"name":"echo","title":"Echo","description":"Echoes back the input.\n\nIt does nothing else, at some length, so that the description has to be wrapped on any screen that is not very wide.","inputSchema":{"type":"object","properties":{"message":{"type":"string","description":"what to say"},"times":{"type":"integer","default":3},"tags":{"type":"array"}},"required":["message","times"]},"outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true,"openWorldHint":false}}`
	wipe = `{"name":"wipe_everything","description":"\u001b[31mDeletes\u001b[0m what there is","inputSchema":{"type":"object"},"annotations":{"destructiveHint":true}}`
)

// server is a server that introduced itself and listed this and that.
func server(t testing.TB) *panetest.Session {
	s := panetest.New(t)
	s.Client(1, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"wiretea","version":"0.1"}}}`)
	s.Server(2, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"resources":{},"prompts":{}},"serverInfo":{"name":"everything","version":"2.0.0"},"instructions":"Use echo\nfor everything."}}`)
	s.Client(3, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	list(s, 4, "2", "tools/list", `{}`, `{"tools":[`+echo+`],"nextCursor":"b"}`)
	list(s, 6, "3", "tools/list", `{"cursor":"b"}`, `{"tools":[`+wipe+`]}`)
	list(s, 8, "4", "resources/list", `{}`, `{"resources":[{"uri":"file:///a b.txt","name":"a","mimeType":"text/plain","size":12},{"uri":"demo://x"}]}`)
	list(s, 9, "6", "resources/templates/list", `{}`, `{"resourceTemplates":[{"uriTemplate":"demo://{land}/{+city}{?lang,since:3}","name":"city","description":"A city","mimeType":"text/plain"}]}`)
	list(s, 11, "5", "prompts/list", `{}`, `{"prompts":[{"name":"greet","description":"Greets","arguments":[{"name":"who","required":true,"description":"whom"},{"name":"how"}]}]}`)
	return s
}

func list(s *panetest.Session, ms float64, id, method, params, result string) {
	s.Client(ms, `{"jsonrpc":"2.0","id":`+id+`,"method":"`+method+`","params":`+params+`}`)
	s.Server(ms+1, `{"jsonrpc":"2.0","id":`+id+`,"result":`+result+`}`)
}

func open(t testing.TB, s *panetest.Session) (*tools.Pane, *pane.Context) {
	t.Helper()
	p, c := tools.New(), s.Context()
	panetest.Tell(t, p, c, pane.MovedMsg{})
	return p, c
}

// to moves the cursor to the first line of the list that begins with a text, or
// has a sign.
func to(t testing.TB, p *tools.Pane, c *pane.Context, text string) {
	t.Helper()
	panetest.Do(t, p, c, keys.Top)
	lines := strings.Split(panetest.Text(t, p, c, 200, 60), "\n")
	for i, line := range lines {
		name, _, _ := strings.Cut(line, "│")
		if strings.HasPrefix(strings.TrimSpace(name), text) || text[0] > 0x7f && strings.Contains(name, text) {
			for range i {
				panetest.Do(t, p, c, keys.Down)
			}
			return
		}
	}
	t.Fatalf("no line has %q:\n%s", text, strings.Join(lines, "\n"))
}

func TestView(t *testing.T) {
	for _, size := range []struct{ w, h int }{{20, 6}, {40, 24}, {80, 24}, {120, 30}} {
		t.Run(fmt.Sprintf("%dx%d", size.w, size.h), func(t *testing.T) {
			p, c := open(t, server(t))
			to(t, p, c, "echo")
			panetest.Golden(t, fmt.Sprintf("%dx%d", size.w, size.h), panetest.Text(t, p, c, size.w, size.h))
		})
	}
	p, c := open(t, server(t))
	for range 12 {
		panetest.Sizes(t, p, c)
		panetest.Do(t, p, c, keys.Down, keys.NextTab)
	}
	to(t, p, c, "wipe")
	c.Theme = style.New("", true, false)
	panetest.Golden(t, "styled", strings.ReplaceAll(strings.Join(p.View(c, 100, 10, true), "\n"), "\x1b", "␛"))
}

func TestEveryLine(t *testing.T) {
	p, c := open(t, server(t))
	for _, at := range []string{"capabilities", "server", "client", "tools ", "wipe", "resources ", "demo://x", "city", "greet"} {
		t.Run(slug(at), func(t *testing.T) {
			to(t, p, c, at)
			panetest.Golden(t, "at-"+slug(at), panetest.Text(t, p, c, 100, 16))
		})
	}
}

func TestEnter(t *testing.T) {
	p, c := open(t, server(t))
	for at, want := range map[string]pane.ComposeMsg{
		"echo": {Method: "tools/call", Name: "echo", About: "Echoes back the input.\n\nIt does nothing else, at some length, so that the description has to be wrapped on any screen that is not very wide.",
			Schema: []byte(`{"type":"object","properties":{"message":{"type":"string","description":"what to say"},"times":{"type":"integer","default":3},"tags":{"type":"array"}},"required":["message","times"]}`)},
		"wipe":  {Method: "tools/call", Name: "wipe_everything", About: "\x1b[31mDeletes\x1b[0m what there is", Schema: []byte(`{"type":"object"}`)},
		"greet": {Method: "prompts/get", Name: "greet", About: "Greets", Schema: []byte(`{"type":"object","properties":{"who":{"type":"string","description":"whom"},"how":{"type":"string"}},"required":["who"]}`)},
		"city":  {Method: "resources/read", Name: "demo://{land}/{+city}{?lang,since:3}", About: "A city"},
	} {
		to(t, p, c, at)
		got := panetest.Do(t, p, c, keys.Enter)
		if diff := cmp.Diff([]tea.Msg{want}, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", at, diff)
		}
	}
	to(t, p, c, "demo://x")
	if got := panetest.Do(t, p, c, keys.Enter); len(got) != 1 || got[0] != (pane.SendMsg{Line: `resources/read {"uri":"demo://x"}`}) {
		t.Errorf("at a resource enter asks for %v", got)
	}
	if got := panetest.Do(t, p, c, keys.Compose); len(got) != 1 || got[0].(pane.ComposeMsg).Name != "demo://x" {
		t.Errorf("at a resource c asks for %v", got)
	}
	to(t, p, c, "prompts ")
	if got := panetest.Do(t, p, c, keys.Enter); len(got) != 1 || got[0].(pane.ListMsg).Methods[0] != "prompts/list" {
		t.Errorf("at the head of a section enter asks for %v", got)
	}
	if got := panetest.Do(t, p, c, keys.Refresh); len(got) != 1 || fmt.Sprint(got[0].(pane.ListMsg).Methods) != "[tools/list resources/list resources/templates/list prompts/list]" {
		t.Errorf("u asks for %v", got)
	}
}

// TestRecording holds that nothing is asked for in a recording, and that what
// would be sent can be copied.
func TestRecording(t *testing.T) {
	s := server(t)
	s.End()
	p, c := open(t, s)
	for at, want := range map[string]string{
		"echo":     `tools/call {"name":"echo","arguments":{"message":"","times":3}}`,
		"wipe":     `tools/call {"name":"wipe_everything","arguments":{}}`,
		"demo://x": `resources/read {"uri":"demo://x"}`,
		"greet":    `prompts/get {"name":"greet","arguments":{"who":""}}`,
	} {
		to(t, p, c, at)
		got := panetest.Do(t, p, c, keys.Enter)
		if len(got) != 1 || got[0].(pane.CopyMsg).Text != want {
			t.Errorf("%s: enter asks for %v, want %s", at, got, want)
			continue
		}
		if _, params, _ := strings.Cut(want, " "); !json.Valid([]byte(params)) {
			t.Errorf("%s is not JSON", params)
		}
	}
	to(t, p, c, "prompts ")
	if got := panetest.Do(t, p, c, keys.Enter); len(got) != 0 {
		t.Errorf("enter asks for %v", got)
	}
	for _, a := range []keys.Action{keys.Enter, keys.Refresh, keys.Subscribe, keys.Cancel} {
		if p.Disabled(c, a) == "" {
			t.Errorf("%s is not disabled", a)
		}
	}
}

func TestNothingListed(t *testing.T) {
	s := panetest.New(t)
	p, c := open(t, s)
	panetest.Golden(t, "nothing", panetest.Text(t, p, c, 80, 10))
	panetest.Sizes(t, p, c)
	if got := panetest.Do(t, p, c, keys.Enter); len(got) != 1 || fmt.Sprint(got[0].(pane.ListMsg).Methods) != "[tools/list]" {
		t.Errorf("enter asks for %v", got)
	}
	s.Client(1, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`)
	s.Server(2, `{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"tools":{},"prompts":{}},"serverInfo":{"name":"s"}}}`)
	s.Update(c)
	panetest.Tell(t, p, c, pane.MovedMsg{})
	panetest.Golden(t, "declared", panetest.Text(t, p, c, 80, 10))
	panetest.Do(t, p, c, keys.Top)
	got := panetest.Do(t, p, c, keys.Enter)
	if len(got) != 1 || fmt.Sprint(got[0].(pane.ListMsg).Methods) != "[tools/list prompts/list]" {
		t.Errorf("at the capabilities enter asks for %v", got)
	}
	c.Live = false
	panetest.Do(t, p, c, keys.Bottom)
	if got := panetest.Do(t, p, c, keys.Enter); len(got) != 1 || got[0].(pane.SayMsg).Text == "" {
		t.Errorf("in a recording enter asks for %v", got)
	}
}

// What was listed before is replaced; what changed since is said.
func TestListedAgain(t *testing.T) {
	s := server(t)
	p, c := open(t, s)
	to(t, p, c, "wipe")
	update := func() string {
		s.Update(c)
		panetest.Tell(t, p, c, pane.MovedMsg{})
		return panetest.Text(t, p, c, 100, 30)
	}
	s.Server(20, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	update()
	to(t, p, c, "⚠ 2")
	if text := update(); !strings.Contains(text, "changed since: see #14") {
		t.Errorf("the change is not said:\n%s", text)
	}
	to(t, p, c, "wipe")
	list(s, 21, "9", "tools/list", `{}`, `{"tools":[{"name":"new"},`+wipe+`]}`)
	text := update()
	if strings.Contains(text, "echo") || strings.Contains(text, "⚠ 2") || !strings.Contains(text, "   new") {
		t.Errorf("shown is\n%s", text)
	}
	if got := panetest.Do(t, p, c, keys.Enter); len(got) != 1 || got[0].(pane.ComposeMsg).Name != "wipe_everything" {
		t.Errorf("the cursor went away from its tool: enter asks for %v", got)
	}
	to(t, p, c, "tools ")
	if text := strings.Join(strings.Fields(panetest.Text(t, p, c, 200, 30)), " "); !strings.Contains(text, "Python SDK 2 refuse the whole list because of 1 of 2 tools: new") {
		t.Errorf("who refuses the list is not said:\n%s", text)
	}
	s.Client(30, `{"jsonrpc":"2.0","id":10,"method":"tools/list"}`)
	s.Server(31, `{"jsonrpc":"2.0","id":10,"error":{"code":-32603,"message":"no"}}`)
	update()
	to(t, p, c, "✖ 2")
	if text := update(); !strings.Contains(text, "the latest answer, #18, is an error: -32603 no") {
		t.Errorf("the error is not said:\n%s", text)
	}
}

func TestTabs(t *testing.T) {
	p, c := open(t, server(t))
	to(t, p, c, "echo")
	for _, want := range []string{"[output]", "[about]", "[raw]", "[input]"} {
		panetest.Do(t, p, c, keys.NextTab)
		if text := panetest.Text(t, p, c, 100, 20); !strings.Contains(text, want) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
	panetest.Do(t, p, c, keys.PrevTab, keys.PrevTab)
	if got := panetest.Do(t, p, c, keys.CopyValue); !strings.Contains(got[0].(pane.CopyMsg).Text, "does nothing else") {
		t.Errorf("copied %v", got)
	}
	panetest.Do(t, p, c, keys.NextTab, keys.FoldAll)
	folded := panetest.Text(t, p, c, 100, 20)
	panetest.Do(t, p, c, keys.UnfoldAll)
	if text := panetest.Text(t, p, c, 100, 20); text == folded {
		t.Error("unfolding changes nothing")
	}
	panetest.Do(t, p, c, keys.SiblingDn, keys.Unfold, keys.Fold, keys.SiblingUp, keys.Depth2)
	if got := panetest.Do(t, p, c, keys.CopyValue); !json.Valid([]byte(got[0].(pane.CopyMsg).Text)) {
		t.Errorf("copied %v", got)
	}
}

func TestMouse(t *testing.T) {
	p, c := open(t, server(t))
	panetest.Text(t, p, c, 100, 20)
	if got := panetest.Tell(t, p, c, pane.ClickMsg{X: 5, Y: 4, Double: true}); len(got) != 1 || got[0].(pane.ComposeMsg).Name != "echo" {
		t.Errorf("a double click asks for %v", got)
	}
	before := panetest.Text(t, p, c, 100, 20)
	y := slices.IndexFunc(strings.Split(before, "\n"), func(l string) bool { return strings.Contains(l, "▾") })
	line := []rune(strings.Split(before, "\n")[y])
	panetest.Tell(t, p, c, pane.ClickMsg{X: slices.Index(line, '▾'), Y: y})
	if after := panetest.Text(t, p, c, 100, 20); after == before || !strings.Contains(after, "▸") {
		t.Errorf("a click on ▾ folds nothing:\n%s", after)
	}
	panetest.Tell(t, p, c, pane.ClickMsg{X: 39, Y: 4})
	panetest.Tell(t, p, c, pane.WheelMsg{Lines: 3})
}

// A server that lists in circles, or nonsense, is shown as far as it makes sense.
func TestBadListings(t *testing.T) {
	s := panetest.New(t)
	list(s, 1, "1", "tools/list", `{}`, `{"tools":[{"name":"x"}],"nextCursor":"a"}`)
	for i := range 3000 {
		list(s, float64(2+i), fmt.Sprint(i+2), "tools/list", `{"cursor":"a"}`, `{"tools":[{"name":"x"}],"nextCursor":"a"}`)
	}
	list(s, 5000, `"p"`, "prompts/list", `{"cursor":"lost"}`, `{"prompts":{"name":"x"}}`)
	list(s, 5001, `"r"`, "resources/list", `[]`, `{"resources":[7,null,[],{"name":7,"uri":[]},{"name":"`+strings.Repeat("n", 5000)+`"}],"nextCursor":5}`)
	list(s, 5002, `"t"`, "resources/templates/list", `{}`, `[1]`)
	p, c := open(t, s)
	panetest.Sizes(t, p, c)
	to(t, p, c, "tools ")
	text := panetest.Text(t, p, c, 100, 20)
	for _, words := range []string{"⚠ 1,000", "the listing loops", "not all items are shown"} {
		if !strings.Contains(text, words) {
			t.Errorf("%q is not in\n%s", words, text)
		}
	}
	panetest.Do(t, p, c, keys.Bottom)
	panetest.Golden(t, "bad", panetest.Text(t, p, c, 100, 12))
	for range 12 {
		panetest.Do(t, p, c, keys.Up, keys.Enter)
		panetest.Text(t, p, c, 60, 20)
	}
}

// After a restart the server is asked anew who it is.
func TestRestart(t *testing.T) {
	s := server(t)
	s.Conn(2)
	s.Proc(50, session.Proc{Event: "start", PID: 2})
	s.Client(51, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`)
	s.Server(52, `{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"tools":{}},"serverInfo":{"name":"other","version":"9"}}}`)
	p, c := open(t, s)
	if _, right := p.Title(c); !strings.Contains(right, "other 9") {
		t.Errorf("the title says %q", right)
	}
	to(t, p, c, "tools ")
	if text := panetest.Text(t, p, c, 120, 20); !strings.Contains(text, "of connection 1, which has ended") {
		t.Errorf("old tools are shown as the new server's:\n%s", text)
	}
}

// Whatever a server lists, nothing panics and every call is JSON.
func FuzzListing(f *testing.F) {
	f.Add([]byte(echo))
	f.Add([]byte(`{"name":"x","inputSchema":{"anyOf":[{"required":["a","a"],"properties":{"a":{"type":["null"]}}}],"required":"a"}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) || slices.Contains(raw, '\n') || slices.Contains(raw, '\r') {
			return
		}
		s := panetest.New(t)
		for i, kind := range []string{"tools", "prompts", "resources"} {
			list(s, float64(i), fmt.Sprint(i), kind+"/list", `{}`, `{"`+kind+`":[`+string(raw)+`]}`)
		}
		p, c := open(t, s)
		for range 8 {
			panetest.Text(t, p, c, 80, 12)
			for _, msg := range panetest.Do(t, p, c, keys.Down, keys.Enter) {
				if copied, ok := msg.(pane.CopyMsg); ok {
					if _, params, _ := strings.Cut(copied.Text, " "); !json.Valid([]byte(params)) {
						t.Fatalf("copied %q", copied.Text)
					}
				}
			}
		}
	})
}

func BenchmarkView(b *testing.B) {
	s := panetest.New(b)
	var all []string
	for i := range 5000 {
		all = append(all, strings.Replace(echo, `"echo"`, fmt.Sprintf(`"tool_%d"`, i), 1))
	}
	list(s, 1, "1", "tools/list", `{}`, `{"tools":[`+strings.Join(all, ",")+`]}`)
	p, c := open(b, s)
	panetest.Do(b, p, c, keys.Down, keys.Down)
	b.ReportAllocs()
	for b.Loop() {
		p.View(c, 200, 60, true)
	}
}

// slug is a text as the name of a file.
func slug(text string) string {
	return strings.Trim(strings.NewReplacer("/", "", ":", "", " ", "").Replace(text), "-")
}
