package content

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// toggle folds or unfolds the line with a text, and lays out again.
func toggle(t *testing.T, d *Document, lines []Line, text string) []Line {
	t.Helper()
	i := slices.IndexFunc(lines, func(l Line) bool { return l.Fold != "" && strings.Contains(written([]Line{l}, false), text) })
	if i < 0 {
		t.Fatalf("no line that folds with %q in\n%s", text, written(lines, false))
	}
	d.Toggle(lines[i])
	return d.Layout(76, false)
}

// expect fails unless a layout has texts, and none of those behind "!".
func expect(t *testing.T, lines []Line, texts ...string) {
	t.Helper()
	all := written(lines, false)
	for _, text := range texts {
		want, absent := strings.CutPrefix(text, "!")
		if strings.Contains(all, want) == absent {
			t.Errorf("want %q in\n%s", text, all)
		}
	}
}

// TestMetaUnfolds holds that _meta is a line that unfolds to its members.
func TestMetaUnfolds(t *testing.T) {
	d := Read(Message{Method: "tools/call",
		Request:  []byte(`{"params":{"name":"a","_meta":{"progressToken":7}}}`),
		Response: []byte(`{"result":{"content":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"tea"}}}}`)})
	lines := d.Layout(76, false)
	expect(t, lines, "▸ _meta of the request: progressToken", "▸ _meta of the response: serverInfo", "!tea")
	lines = toggle(t, d, lines, "_meta of the response")
	expect(t, lines, "▸ _meta of the request: progressToken", "▾ _meta of the response\n", "io.modelcontextprotocol/serverInfo  ▾ 1 member", "name  tea")
	lines = toggle(t, d, lines, "serverInfo")
	expect(t, lines, "serverInfo  ▸ 1 member", "!tea")
	lines = toggle(t, d, lines, "_meta of the response")
	expect(t, lines, "▸ _meta of the response: serverInfo", "!1 member")
}

// nested is JSON in a string in JSON, n times.
func nested(n int) string {
	text := `{"leaf":"tea"}`
	for i := range n {
		quoted, err := json.Marshal(text)
		if err != nil {
			panic(err)
		}
		text = fmt.Sprintf(`{"level%d":%s}`, n-i, quoted)
	}
	return text
}

// TestJSONInStrings holds that JSON in strings is a tree to any depth, in a text, in
// arguments and in structured content.
func TestJSONInStrings(t *testing.T) {
	const deep = 14 // The escapes of more levels take more than a megabyte.
	text, err := json.Marshal(nested(deep))
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]Message{
		"a text":             {Method: "tools/call", Response: fmt.Appendf(nil, `{"result":{"content":[{"type":"text","text":%s}]}}`, text)},
		"an argument":        {Method: "tools/call", Request: fmt.Appendf(nil, `{"params":{"name":"a","arguments":{"x":%s}}}`, text)},
		"structured content": {Method: "tools/call", Response: fmt.Appendf(nil, `{"result":{"content":[],"structuredContent":{"x":%s}}}`, text)},
	} {
		t.Run(name, func(t *testing.T) {
			d := Read(m)
			lines := d.Layout(76, false)
			expect(t, lines, "level1", "JSON text", "!tea")
			for range deep { // One after the other.
				i := slices.IndexFunc(lines, func(l Line) bool { return l.Fold != "" && !l.Open })
				if i < 0 {
					break
				}
				d.Toggle(lines[i])
				lines = d.Layout(76, false)
			}
			expect(t, lines, fmt.Sprintf("level%d", deep), "tea")
			checkLines(t, lines, 76)
			d.Unfold(0)
			lines = d.Layout(76, false)
			expect(t, lines, "!level9")
			d.Unfold(deepestOpen)
			expect(t, d.Layout(76, false), fmt.Sprintf("level%d", deep), "tea")
		})
	}
}

// TestLargeTree holds that a large value is folded from where its lines would be too many,
// and is laid out as far as is bounded when everything is unfolded.
func TestLargeTree(t *testing.T) {
	var items []string
	for i := range 4000 {
		items = append(items, fmt.Sprintf(`{"id":%d,"tags":["a","b"]}`, i))
	}
	text, _ := json.Marshal(`{"rows":[` + strings.Join(items, ",") + `]}`)
	d := Read(Message{Method: "tools/call", Response: fmt.Appendf(nil, `{"result":{"content":[{"type":"text","text":%s}]}}`, text)})
	lines := d.Layout(76, false)
	expect(t, lines, `▸ { 2 keys: "id":0,"tags":["a","b"] },`, "… 3,500 more items")
	d.Unfold(deepestOpen)
	if n := len(d.Layout(76, false)); n > maxLines+10 {
		t.Errorf("%d lines", n)
	}
	deep := Read(Message{Method: "notifications/message", Request: fmt.Appendf(nil, `{"params":{"data":%s%s}}`, strings.Repeat("[1,", 9000), strings.Repeat("]", 9000))})
	deep.Unfold(deepestOpen)
	checkLines(t, deep.Layout(76, false), 76)
}

// TestBase64OnRequest holds that base64 of a text is decoded where it is asked for only, at
// any place.
func TestBase64OnRequest(t *testing.T) {
	encoded := base64.StdEncoding.EncodeToString([]byte(`{"secret sauce":"tea, and \u001b[2J nothing else"}`))
	plain := base64.StdEncoding.EncodeToString([]byte("line one of the text\nline two of the text\x7f"))
	for name, m := range map[string]Message{
		"a text":   {Method: "tools/call", Response: fmt.Appendf(nil, `{"result":{"content":[{"type":"text","text":%q}]}}`, encoded)},
		"a member": {Method: "tools/call", Request: fmt.Appendf(nil, `{"params":{"name":"a","arguments":{"x":%q}}}`, encoded)},
		"a tree":   {Method: "notifications/message", Request: fmt.Appendf(nil, `{"params":{"data":{"x":[%q]}}}`, encoded)},
	} {
		t.Run(name, func(t *testing.T) {
			d := Read(m)
			lines := d.Layout(76, false)
			expect(t, lines, "base64 of a text", "!sauce")
			lines = toggle(t, d, lines, "base64 of a text")
			expect(t, lines, `"secret sauce": "tea`)
			checkLines(t, lines, 76)
			expect(t, toggle(t, d, lines, "base64 of a text"), "!sauce")
		})
	}
	d := Read(Message{Method: "tools/call", Request: fmt.Appendf(nil, `{"params":{"name":"a","arguments":{"x":%q}}}`, plain)})
	lines := toggle(t, d, d.Layout(76, false), "base64 of a text")
	expect(t, lines, "line one of the text\n", "line two of the text")
	checkLines(t, lines, 76)
}
