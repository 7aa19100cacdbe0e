package content

import (
	"encoding/base64"
	"encoding/json"
	"runtime"
	"strings"
	"testing"
)

// bigResults are results of 1 MB, by their shape.
func bigResults() map[string]string {
	word := strings.Repeat("x", 1<<20)
	quoted := func(v string) string { b, _ := json.Marshal(v); return string(b) }
	item := func(text string) string { return `{"type":"text","text":` + quoted(text) + `}` }
	rows := strings.TrimSuffix(strings.Repeat(`{"name":"someone","age":42,"city":"Rome"},`, 25_000), ",")
	return map[string]string{
		"a word":        `{"content":[` + item(word) + `]}`,
		"wide":          `{"content":[` + item(strings.Repeat("日", 350_000)) + `]}`,
		"words":         `{"content":[` + item(strings.Repeat("one two ", 1<<17)) + `]}`,
		"lines":         `{"content":[` + item(strings.Repeat("a line of some text\n", 1<<16)) + `]}`,
		"base64":        `{"content":[` + item(base64.StdEncoding.EncodeToString([]byte(strings.Repeat("text ", 160_000)))) + `]}`,
		"JSON text":     `{"content":[` + item("["+rows+"]") + `]}`,
		"JSON string":   `{"content":[` + item(`{"a":"`+word[:1<<20-100]+`"}`) + `]}`,
		"structured":    `{"content":[],"structuredContent":{"rows":[` + rows + `]}}`,
		"a long member": `{"content":[],"structuredContent":{"text":"` + word + `"}}`,
		"a wide member": `{"content":[],"structuredContent":{"text":"` + strings.Repeat("日", 350_000) + `"}}`,
		"unknown type":  `{"content":[{"type":"x","y":"` + word + `"}]}`,
		"many texts":    `{"content":[` + strings.TrimSuffix(strings.Repeat(item(word[:30_000])+",", 35), ",") + `]}`,
		"many short":    `{"content":[` + strings.TrimSuffix(strings.Repeat(item("short")+",", 33_000), ",") + `]}`,
	}
}

// TestBig holds that the work for a result of 1 MB is bounded by what is shown of it: a layout
// that wraps all of it, or begins again with the rest for each line, allocates far more.
func TestBig(t *testing.T) {
	for name, result := range bigResults() {
		d := Read(bigMessage(result))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		lines := d.Layout(60, true)
		runtime.ReadMemStats(&after)
		if n := (after.TotalAlloc - before.TotalAlloc) >> 20; n > 24 || len(lines) > maxLines+1 {
			t.Errorf("%s: the layout allocates %d MB, and has %d lines", name, n, len(lines))
		}
	}
}

func bigMessage(result string) Message {
	return Message{Method: "tools/call", Response: []byte(`{"jsonrpc":"2.0","id":1,"result":` + result + `}`)}
}

func BenchmarkBig(b *testing.B) {
	for name, result := range bigResults() {
		b.Run(strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
			m := bigMessage(result)
			b.Run("read", func(b *testing.B) {
				for b.Loop() {
					Read(m)
				}
			})
			d := Read(m)
			b.Run("layout", func(b *testing.B) {
				for b.Loop() {
					d.spans, d.images = nil, nil
					d.Layout(60, true)
				}
			})
		})
	}
}
