package path

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// keeperOf returns an Injector that has given out n numbers, none of which is
// answered.
func keeperOf(n int) (*Injector, *responseFilter) {
	g := NewInjector(Config{})
	for range n {
		_, _ = g.register() // There is room.
	}
	return g, &responseFilter{injector: g, prefix: []byte(g.prefix)}
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		line string // ID stands for the prefix of our ids.
		ours bool
		left []int // left are the numbers of those that are not answered.
	}{
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, false, []int{1, 2}},
		{`{"jsonrpc":"2.0","id":"ID1","result":{}}`, true, []int{2}},
		{`{"result":{"a":[{"id":"x"}]},"jsonrpc":"2.0","id":"ID2"}` + "\r", true, []int{1}},
		{`{"jsonrpc":"2.0","id":"ID2","error":{"code":-1,"message":""}}`, true, []int{1}},
		{`{"jsonrpc":"2.0","id":"\u0077ireteaREST2","result":{}}`, true, []int{1}},
		{`{"jsonrpc":"2.0","id":"ID3","result":{}}`, false, []int{1, 2}}, // never given out
		{`{"jsonrpc":"2.0","id":"ID01","result":{}}`, false, []int{1, 2}},
		{`{"jsonrpc":"2.0","id":"ID","result":{}}`, false, []int{1, 2}},
		{`{"jsonrpc":"2.0","id":7,"result":{"text":"ID1"}}`, false, []int{1, 2}},
		{`{"jsonrpc":"2.0","id":"ID1","method":"roots/list"}`, false, []int{1, 2}}, // the server's own request
		{`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"ID1","progress":1}}`, true, []int{1, 2}},
		{`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`, false, []int{1, 2}},
		{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"ID1"}}`, true, []int{1, 2}},
		{`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"ID1"}}`, false, []int{1, 2}},
		{`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"ID1"}}}`, true, []int{1, 2}},
		{`{"jsonrpc":"2.0","id":"ID1","result":{}`, false, []int{1, 2}},                                           // no JSON
		{`[{"jsonrpc":"2.0","id":"ID1","result":{}},{"jsonrpc":"2.0","id":1,"result":{}}]`, false, []int{2}},      // the client's too
		{`[{"jsonrpc":"2.0","id":"ID1","result":{}},{"jsonrpc":"2.0","id":"ID2","result":{}}]`, true, []int(nil)}, // both ours
		{`{"jsonrpc":"2.0","id":"ID1","result":{}} oops`, false, []int{2}},
		{``, false, []int{1, 2}}, {`wiretea`, false, []int{1, 2}}, {`ID1`, false, []int{1, 2}},
	} {
		g, j := keeperOf(2)
		line := strings.ReplaceAll(c.line, "ID", g.prefix)
		line = strings.ReplaceAll(line, "REST", strings.TrimPrefix(g.prefix, "wiretea"))
		if got := j.Ours([]byte(line+"\n"), false); got != c.ours {
			t.Errorf("%s: ours %v", c.line, got)
		}
		var left []int
		for n := range g.open {
			left = append(left, n)
		}
		slices.Sort(left)
		if !slices.Equal(left, c.left) {
			t.Errorf("%s: %v are left, want %v", c.line, left, c.left)
		}
	}
}

// FuzzJudge holds that a line is taken out only if it is JSON and names an id that
// was given out, and that a line in parts is judged like the same in one.
func FuzzJudge(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":"ID1","result":{}}`), uint8(3))
	f.Add([]byte(`{"result":{"a":"\u0049D1"},"id":"\u0077iretea-ID"}`), uint8(7))
	f.Add([]byte(`[{"id":"ID2","error":{}},{"method":"notifications/progress","params":{"progressToken":"ID1"}}]`), uint8(1))
	f.Fuzz(func(t *testing.T, line []byte, cut uint8) {
		whole, j := keeperOf(2)
		text := strings.ReplaceAll(string(line), "ID", whole.prefix)
		if j.Ours([]byte(text), true) && (!json.Valid([]byte(strings.TrimPrefix(text, "\xef\xbb\xbf"))) || !names(text, whole.prefix)) {
			t.Fatalf("took %q", text)
		}
		parts, k := keeperOf(2)
		text = strings.ReplaceAll(string(line), "ID", parts.prefix)
		at := min(int(cut), len(text))
		k.TooLong([]byte(text[:at]), false)
		k.TooLong([]byte(text[at:]), true)
		if len(parts.open) > len(whole.open) {
			t.Fatalf("%q answers more in one than in parts", text)
		}
	})
}

// names reports whether one of our two ids is in a text, or may, in escapes.
func names(text, prefix string) bool {
	return strings.Contains(text, `\u`) || strings.Contains(text, prefix+"1") || strings.Contains(text, prefix+"2")
}
