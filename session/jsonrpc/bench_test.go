package jsonrpc

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// bodies are texts like those of real sessions, by size.
func bodies() []struct {
	name string
	text []byte
} {
	call := func(size int) []byte {
		head := `{"jsonrpc":"2.0","id":1234,"method":"tools/call","params":{"name":"search_files","arguments":{"path":"/home/me/src","pattern":"func main","limit":20,"case":false},"_meta":{"progressToken":7}}`
		pad := strings.Repeat("x", max(0, size-len(head)-10))
		if pad == "" {
			return []byte(head + "}")
		}
		return []byte(head + `,"pad":"` + pad + `"}`)
	}
	list := func(size int) []byte {
		var b bytes.Buffer
		b.WriteString(`{"jsonrpc":"2.0","id":3,"result":{"tools":[`)
		for i := 0; b.Len() < size; i++ {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `{"name":"tool_%d","title":"Tool %d","description":"Looks for files whose names match a glob pattern, below a folder.\nReturns at most 'limit' paths, newest first, each on a line of its own. Use it before you read a file whose place you do not know.","inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"Folder to look in"},"pattern":{"type":"string"},"limit":{"type":"integer","minimum":1,"maximum":1000}},"required":["path","pattern"],"additionalProperties":false},"annotations":{"readOnlyHint":true,"openWorldHint":false}}`, i, i)
		}
		b.WriteString(`]}}`)
		return b.Bytes()
	}
	return []struct {
		name string
		text []byte
	}{
		{"call200B", call(200)},
		{"list10KB", list(10 << 10)},
		{"list1MB", list(1 << 20)},
		{"string1MB", call(1 << 20)},
		{"chinese1MB", []byte(`{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"` + strings.Repeat("你好，世界。", 60000) + `"}]}}`)},
		{"escapes1MB", []byte(`{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"` + strings.Repeat(`{\"a\": [1,\n 2]},\u00e9 `, 50000) + `"}]}}`)},
		{"numbers1MB", []byte(`{"jsonrpc":"2.0","id":3,"result":{"data":[` + strings.Repeat(`0.25,-17,3.5e10,`, 65536) + `0]}}`)},
	}
}

func BenchmarkScanner(b *testing.B) {
	for _, body := range bodies() {
		b.Run(body.name, func(b *testing.B) {
			b.SetBytes(int64(len(body.text)))
			b.ReportAllocs()
			n := 0
			count := func(*Message) { n++ }
			var s Scanner
			for b.Loop() {
				s.Reset(count)
				s.Write(body.text)
				if t := s.End(); t.Syntax != Complete {
					b.Fatal(t)
				}
			}
		})
	}
}

// BenchmarkJSONText is what the jsontext package needs for the same texts, only
// to walk their tokens, duplicate keys looked for.
func BenchmarkJSONText(b *testing.B) {
	for _, body := range bodies() {
		b.Run(body.name, func(b *testing.B) {
			b.SetBytes(int64(len(body.text)))
			b.ReportAllocs()
			var r bytes.Reader
			dec := jsontext.NewDecoder(&r)
			for b.Loop() {
				r.Reset(body.text)
				dec.Reset(&r)
				if err := dec.SkipValue(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkHostile is what a peer can do to be slow.
func BenchmarkHostile(b *testing.B) {
	for _, bench := range []struct {
		name string
		text []byte
	}{
		{"arrays60MB", bytes.Repeat([]byte("["), 60_000_000)},
		{"objects4MB", bytes.Repeat([]byte(`{"":`), 1<<20)},
		{"members1MB", []byte(object(70_000))},
		{"sameKeys1MB", []byte("{" + strings.Repeat(`"id":1,`, 150_000) + `"a":1}`)},
		{"sameParams4MB", []byte("{" + strings.Repeat(`"params":{"name":1,"uri":2,"_meta":{"progressToken":1}},`, 80_000) + `"a":1}`)},
		{"emptyObjects1MB", []byte("[" + strings.Repeat(`{},`, 350_000) + "{}]")},
		{"nestedMembers", []byte(strings.Repeat(strings.TrimSuffix(object(17), "}")+`,"in":`, 3800))},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.SetBytes(int64(len(bench.text)))
			b.ReportAllocs()
			var s Scanner
			for b.Loop() {
				s.Reset(func(*Message) {})
				feed(&s, bench.text, len(bench.text))
				s.End()
			}
		})
	}
}
