package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
)

// TestCosts holds that each tool, prompt and resource has what it costs beside it, that they
// can be sorted by that and by their calls, and what the details say of cost and use.
func TestCosts(t *testing.T) {
	s := panetest.New(t)
	list(s, 1, "1", "tools/list", `{}`, `{"tools":[{"name":"small","inputSchema":{"type":"object"}},`+echo+`,`+wipe+`]}`)
	list(s, 3, "2", "prompts/list", `{}`, `{"prompts":[{"name":"a"},{"name":"longer","description":"Greets somebody at some length"}]}`)
	list(s, 5, "3", "resources/list", `{}`, `{"resources":[{"uri":"demo://a","name":"a"},{"uri":"demo://b","name":"b","description":"A long description of it"}]}`)
	for i := range 12 {
		name := "small"
		if i < 2 {
			name = "echo"
		}
		s.Client(float64(10+i), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`, 10+i, name))
		s.Server(float64(10+i), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":%q}]}}`, 10+i, strings.Repeat("x", 100*i)))
	}
	p, c := open(t, s)
	panetest.Tell(t, p, c, pane.ShownMsg{})
	order := func(want ...string) {
		t.Helper()
		var got []string
		for line := range strings.Lines(panetest.Text(t, p, c, 120, 40)) {
			left, _, _ := strings.Cut(line, "│")
			if cells := strings.Fields(left); len(cells) > 1 && !strings.Contains(left, "tokens ") && !strings.Contains(left, "listed") {
				got = append(got, cells[0]+" "+cells[len(cells)-1])
			}
		}
		if strings.Join(got, ", ") != strings.Join(want, ", ") {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
	order("small 13", "echo 93", "wipe_everything 29", "a 8", "b 18", "a 3", "longer 16")
	panetest.Do(t, p, c, keys.SortNext)
	order("echo 93", "wipe_everything 29", "small 13", "b 18", "a 8", "longer 16", "a 3")
	panetest.Do(t, p, c, keys.SortNext)
	order("small 13", "echo 93", "wipe_everything 29", "a 8", "b 18", "a 3", "longer 16")
	for at, wants := range map[string][]string{
		"tools":  {"they take about 140 tokens of a model's context in every conversation; 2 of 3 were called in this session"},
		"small":  {"≈ 13 tokens in every conversation, 48 B in the list", "used 10 times; results 7.2 kB, at most ≈ 1,800 tokens; the largest 1.2 kB, #30"},
		"echo":   {"≈ 93 tokens in every conversation, 477 B in the list", "the largest members: description 144 B, ", "used 2 times; results 248 B, at most ≈ 62 tokens; the largest 174 B, #10"},
		"longer": {"≈ 16 tokens, 64 B in the list", "the largest members: description 32 B, name 8 B", "not used in this session"},
	} {
		to(t, p, c, at)
		text := panetest.Text(t, p, c, 240, 40)
		for range 4 { // Of a tool its input may be shown first.
			if strings.Contains(text, wants[0]) {
				break
			}
			panetest.Do(t, p, c, keys.NextTab)
			text = panetest.Text(t, p, c, 240, 40)
		}
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", at, want, text)
			}
		}
	}
}

// TestClientWithoutTools holds that the page says what another client has not done with the
// tools, and nothing of that once it has.
func TestClientWithoutTools(t *testing.T) {
	const says = "editor did not request the list of tools in the 42 s after the handshake, though the server declares tools"
	for _, lists := range []bool{false, true} {
		s := panetest.New(t)
		s.Header().Mode, s.Header().Trans = "tee", "stdio"
		s.Client(1, `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"editor","version":"1"}}}`)
		s.Server(2, `{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`)
		s.Client(3, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		if lists {
			list(s, 100, "2", "tools/list", `{}`, `{"tools":[`+echo+`]}`)
		}
		s.Stderr(42_000, "still here")
		p, c := open(t, s)
		panetest.Tell(t, p, c, pane.ShownMsg{})
		to(t, p, c, "tools")
		if text := strings.Join(strings.Fields(strings.ReplaceAll(panetest.Text(t, p, c, 240, 30), "│", "")), " "); strings.Contains(text, says) == lists {
			t.Errorf("lists %t:\n%s", lists, panetest.Text(t, p, c, 240, 30))
		}
	}
}

// TestRefusedList holds that the page says which clients refuse the list, because of how many
// of its tools.
func TestRefusedList(t *testing.T) {
	for bad, want := range map[string]bool{`{"name":"bare"}`: true, `{"name":"fine","inputSchema":{"type":"object"}}`: false} {
		s := panetest.New(t)
		s.Client(1, `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
		s.Server(2, `{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`)
		list(s, 3, "2", "tools/list", `{}`, `{"tools":[`+echo+`,`+bad+`]}`)
		p, c := open(t, s)
		to(t, p, c, "tools")
		const says = "refuse the whole list because of 1 of 2 tools: bare"
		if text := strings.Join(strings.Fields(strings.ReplaceAll(panetest.Text(t, p, c, 400, 30), "│", "")), " "); strings.Contains(text, says) != want {
			t.Errorf("%s: %s", bad, text)
		}
	}
}
