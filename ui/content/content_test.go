package content

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"wiretea/session/cells"
	"wiretea/ui/highlight"
)

var update = flag.Bool("update", false, "write the layouts anew")

// A fixture is an exchange of testdata/messages.jsonl. Those of server-everything are as
// that server wrote them.
type fixture struct {
	Name, Method      string
	Request, Response json.RawMessage
}

func fixtures(t testing.TB) []fixture {
	t.Helper()
	text, err := os.ReadFile("testdata/messages.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var all []fixture
	for line := range bytes.Lines(text) {
		var f fixture
		if err := json.Unmarshal(line, &f); err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	return all
}

// inkSigns are the signs before a piece of a golden file whose ink is not Plain: Dim,
// Strong, Heading, Link, Good, Warn, Bad.
const inkSigns = ",!#@+?-"

// written is a layout as text; with inks if marked.
func written(lines []Line, marked bool) string {
	var b strings.Builder
	for _, l := range lines {
		var line strings.Builder
		for _, p := range l.Parts {
			if kind, ok := p.Ink.Code(); marked && ok && kind != highlight.Plain && p.Text != "" {
				fmt.Fprintf(&line, "‹%d›", kind)
			} else if marked && p.Ink != Plain && !ok && strings.TrimSpace(p.Text) != "" {
				fmt.Fprintf(&line, "‹%c›", inkSigns[p.Ink-1])
			}
			if marked && p.SGR != "" {
				line.WriteString(strings.ReplaceAll(p.SGR, "\x1b", "␛"))
			}
			line.WriteString(p.Text)
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		if marked && l.URI != "" {
			b.WriteString("  → link")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestLayout holds how messages are laid out, against testdata/layout.txt.
func TestLayout(t *testing.T) {
	var got strings.Builder
	for _, f := range fixtures(t) {
		doc := Read(Message{Request: f.Request, Response: f.Response, Method: f.Method})
		fmt.Fprintf(&got, "════ %s\n%s", f.Name, written(doc.Layout(76, false), true))
		if f.Name == "images" {
			fmt.Fprintf(&got, "════ %s in colour\n%s", f.Name, written(doc.Layout(40, true), true))
		}
	}
	golden(t, "testdata/layout.txt", []byte(got.String()))
}

// TestNothingIsMissing holds that each member of a message is shown, or named where it is folded.
func TestNothingIsMissing(t *testing.T) {
	for _, tt := range []struct{ method, params, result, want string }{
		{"tools/call", `{"name":"echo","arguments":{"x":[{"a":1},{"a":2,"secret":3},{"b":4}]},"task":{"ttl":5}}`, `{}`, "a secret b 3 4 task"},
		{"tools/call", `{}`, `{"content":[],"structuredContent":{"places":[{"city":"Rome"},{"city":"Bonn","country":"de"}]},"extra":1}`, "Rome Bonn country de extra"},
		{"tools/call", `{}`, `{"content":[],"structuredContent":{"twice":[{"a":1,"a":"other"}]}}`, "1 other"},
		{"tools/call", `{}`, `{"content":[],"structuredContent":{"empty":[{"a":"","b":1},{"b":2}]}}`, `""`},
		{"tools/call", `{}`, `{"content":[{"type":"text","text":5},{"type":"text","text":"hi","lang":"en","annotations":{"colour":"red"}}]}`, "5 lang annotations"},
		{"tools/call", `{}`, `{"content":[{"type":"image","data":7},{"type":"resource","resource":"x://y"},{"type":"resource_link","uri":"a://b","name":"short","title":"long","icons":[]}]}`, "7 x://y short long icons"},
		{"tools/call", `{}`, `["bare"]`, "bare"},
		{"sampling/createMessage", `{"messages":[{"role":"user","content":[{"type":"tool_result","toolUseId":"1","content":[{"type":"text","text":"in"}],"structuredContent":{"n":1}}],"name":"bob"},{"role":"assistant","content":[]}],"task":{"ttl":1},"tools":[{"name":"t","x":1}]}`, `{"role":"assistant","content":{"type":"text","text":"ok"},"more":1}`, "in structuredContent name assistant ttl all more"},
		{"tools/list", `{"cursor":"c"}`, `{"tools":[{"name":"t","icons":[],"annotations":{"readOnlyHint":false},"inputSchema":{"type":"object","properties":{"a":{"type":"string","pattern":"x"}}}}],"nextCursor":"n"}`, "cursor icons annotations inputSchema nextCursor"},
		{"elicitation/create", `{"message":"m","mode":"form","requestedSchema":{"type":"object","properties":{"a":{"type":"string","default":"x"}}}}`, `{"action":"accept","content":"odd"}`, "mode schema odd"},
		{"initialize", `{"protocolVersion":"1","capabilities":{"roots":{"listChanged":false}},"clientInfo":{"name":"c","title":"C"}}`, `{"protocolVersion":"1","capabilities":{},"serverInfo":{"name":"s","icons":[]},"_meta":{"a":1},"odd":2}`, "roots name icons _meta odd"},
		{"tasks/get", `{"taskId":"1"}`, `{"taskId":"1","status":"done","result":"bare"}`, "taskId bare"},
	} {
		doc := Read(Message{Method: tt.method, Request: []byte(`{"id":1,"params":` + tt.params + `}`), Response: []byte(`{"id":1,"result":` + tt.result + `,"beside":1}`)})
		text := written(doc.Layout(100, false), false)
		for _, want := range strings.Fields(tt.want + " beside") {
			if !slices.Contains(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \n,:[]{}·✖", r) }), want) && !strings.Contains(text, `"`+want+`"`) && !strings.Contains(text, want+" ") && !strings.Contains(text, want+"\n") {
				t.Errorf("%s %s: %q is not in\n%s", tt.method, tt.result, want, text)
			}
		}
	}
}

// golden compares layouts with those of a file, which -update writes anew.
func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the layouts have changed; look at the difference that -update makes:\n%s", got)
	}
}

// checkLines fails if a line is wider than w cells, or not safe to print.
func checkLines(t *testing.T, lines []Line, w int) {
	t.Helper()
	for _, l := range lines {
		width := 0 // With blanks at the end, which would be drawn as "…".
		for _, p := range l.Parts {
			width += cells.Width(p.Text)
			if i := strings.IndexFunc(p.Text, func(r rune) bool { return r != ' ' && !unicode.IsPrint(r) }); i >= 0 {
				t.Errorf("%q has a character that must not reach a terminal", p.Text)
			}
		}
		if width > w {
			t.Errorf("%d cells in a layout of %d: %q", width, w, written([]Line{l}, false))
		}
	}
}

// TestWidths holds that no line is wider than asked for, at any width.
func TestWidths(t *testing.T) {
	for _, f := range fixtures(t) {
		doc := Read(Message{Request: f.Request, Response: f.Response, Method: f.Method})
		for _, w := range []int{34, 76, 200} {
			for _, colour := range []bool{false, true} {
				checkLines(t, doc.Layout(w, colour), w)
			}
		}
	}
}

// TestBounds holds that what is large is cut, and said to be.
func TestBounds(t *testing.T) {
	long, err := json.Marshal(map[string]any{"result": map[string]any{"content": []any{map[string]any{"type": "text", "text": strings.Repeat("a line of text\n", 100_000)}}}})
	if err != nil {
		t.Fatal(err)
	}
	lines := Read(Message{Response: long, Method: "tools/call"}).Layout(80, true)
	if len(lines) > 6000 || !strings.Contains(written(lines[len(lines)-1:], false), "more") {
		t.Errorf("%d lines, the last one %q", len(lines), written(lines[len(lines)-1:], false))
	}
}

// FuzzContent lays out anything as a message of each method.
func FuzzContent(f *testing.F) {
	for _, fix := range fixtures(f) {
		f.Add([]byte(fix.Request), []byte(fix.Response), fix.Method)
	}
	f.Fuzz(func(t *testing.T, request, response []byte, method string) {
		doc := Read(Message{Request: request, Response: response, Method: method, Log: []LogEntry{{Body: request}, {At: 1, Body: response, Here: true}}})
		checkLines(t, doc.Layout(60, true), 60)
		doc.Unfold(deepestOpen)
		checkLines(t, doc.Layout(41, false), 41)
	})
}

// FuzzMarkdown lays out any text as Markdown.
func FuzzMarkdown(f *testing.F) {
	f.Add("# a\n\n- b **c** `d` [e](f)\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> q\n```go\nx\n```")
	f.Fuzz(func(t *testing.T, text string) {
		l := &layout{doc: &Document{}, w: 40}
		l.text("", text, "markdown")
		checkLines(t, l.lines, 40)
	})
}

// TestLanguageOf holds that a text's language is that of its MIME type, else of its URI's
// ending, else of its look.
func TestLanguageOf(t *testing.T) {
	const look = "SELECT a FROM b WHERE c = 'd';\n"
	for _, tt := range []struct{ mime, uri, text, want string }{
		{"application/xml", "file:///a.py", look, "xml"},
		{"Text/Markdown; charset=utf-8", "", look, "markdown"},
		{"text/plain", "file:///a.py", look, "python"},
		{"", "https://example.org/A.YAML", "a", "yaml"},
		{"text/plain", "file:///a.unknown", look, "sql"},
		{"", "", "done", ""},
		{"\x1b[m", "\x00", "", ""},
	} {
		if got := languageOf(tt.mime, tt.uri, tt.text); got != tt.want {
			t.Errorf("%q %q: %q, want %q", tt.mime, tt.uri, got, tt.want)
		}
	}
}

// TestArguments holds that a call without a name has a title, too.
func TestArguments(t *testing.T) {
	for params, want := range map[string]string{`{}`: "arguments: none", `{"name":"echo"}`: "arguments of echo: none", `{"arguments":{"a":1}}`: "arguments"} {
		if got := arguments(value(params))[0].Title; got != want {
			t.Errorf("%s: %q", params, got)
		}
	}
}
