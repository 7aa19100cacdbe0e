package filter

import (
	"fmt"
	"strings"
	"testing"

	"wiretea/session"
)

// million is a session of a million rows: requests and their responses, by turns.
func million() *session.Snapshot {
	a := session.NewAnalyzer(session.Config{})
	for i := range int64(500_000) {
		id := fmt.Sprint(i)
		feedOne(a, 2*i, client(i, request(id, "tools/call", fmt.Sprintf(`{"name":"tool-%d"}`, i%20))))
		feedOne(a, 2*i+1, server(i, result(id, `{"content":[]}`)))
	}
	return a.Snapshot()
}

func feedOne(a *session.Analyzer, n int64, r session.Record) {
	r.N, r.Off, r.Conn = uint64(n+1), 1000*n, 1
	a.Add(&r)
}

// BenchmarkMeta judges a million rows by their metadata.
func BenchmarkMeta(b *testing.B) {
	s := million()
	for _, text := range []string{"m:tools/call", "t:tool-7 d:c2s", "is:pending | is:error", "lat>500ms", `-m:ping size>64k sev>=warning`, "tool-1*"} {
		b.Run(text, func(b *testing.B) {
			f := parsed(b, text)
			for b.Loop() {
				for i := range uint32(s.Len()) {
					f.Meta(s, i)
				}
			}
		})
	}
}

// BenchmarkLiteral looks for a literal in bodies of 200 bytes.
func BenchmarkLiteral(b *testing.B) {
	body := []byte(result("123456", fmt.Sprintf(`{"content":[{"type":"text","text":%q}]}`, strings.Repeat("Lorem ipsum ", 10))))
	for _, text := range []string{"needle", "dolor", "Übermaß"} {
		b.Run(text, func(b *testing.B) {
			l := NewLiteral(text)
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				l.In(body)
			}
		})
	}
}
