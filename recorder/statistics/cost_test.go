package statistics_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wiretea/recorder/statistics"
	"wiretea/ui/panetest"
)

const search = `{"name":"search","title":"Search","description":"Finds text.","inputSchema":{"type":"object","properties":{"q":{"type":"string","description":"what to look for"},"n":{"type":"integer"}}},"outputSchema":{"type":"object"}}`

// listed adds a listing of tools.
func listed(s *panetest.Session, id int, params string, tools ...string) {
	s.Client(float64(id), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list","params":{%s}}`, id, params))
	next := ""
	if strings.HasPrefix(tools[0], "next:") {
		next, tools = fmt.Sprintf(`"nextCursor":%q,`, strings.TrimPrefix(tools[0], "next:")), tools[1:]
	}
	s.Server(float64(id), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{%s"tools":[%s]}}`, id, next, strings.Join(tools, ",")))
}

// called adds a call of a tool, and its answer.
func called(s *panetest.Session, id int, tool, answer string) {
	s.Client(float64(id), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`, id, tool))
	s.Server(float64(id), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, id, answer))
}

func greeted(s *panetest.Session, instructions string) {
	s.Header().Mode = "tee"
	s.Client(0.1, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	s.Server(0.2, fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"},"instructions":%q}}`, instructions))
}

// TestSentence holds what is said of the cost of tools.
func TestSentence(t *testing.T) {
	many := make([]string, 40)
	for i := range many {
		many[i] = fmt.Sprintf(`{"name":"t%d","description":%q,"inputSchema":{"type":"object"}}`, i, strings.Repeat("word ", 80))
	}
	for name, tt := range map[string]struct {
		play func(s *panetest.Session)
		want string
	}{
		"nothing listed": {func(s *panetest.Session) { greeted(s, "") }, ""},
		"no tools":       {func(s *panetest.Session) { greeted(s, ""); listed(s, 1, "", "") }, ""},
		"one":            {func(s *panetest.Session) { greeted(s, ""); listed(s, 1, "", search) }, "1 tool costs about 43 tokens in every conversation; none was called"},
		"ours":           {func(s *panetest.Session) { greeted(s, ""); s.Header().Mode = "run"; listed(s, 1, "", search) }, "1 tool costs about 43 tokens in every conversation"},
		"instructions": {func(s *panetest.Session) { greeted(s, strings.Repeat("Read. ", 100)); listed(s, 1, "", search) },
			"1 tool and the server's instructions cost about 190 tokens in every conversation; none was called"},
		"many": {func(s *panetest.Session) {
			greeted(s, "")
			listed(s, 1, "", many...)
			called(s, 2, "t3", `"result":{"content":[]}`)
			called(s, 3, "t3", `"error":{"code":-1,"message":"no"}`)
			called(s, 4, "t5", `"result":{"content":[]}`)
			called(s, 5, "gone", `"result":{"content":[]}`)
		}, "40 tools cost about 4,600 tokens in every conversation; 2 were called"},
		"the last list counts": {func(s *panetest.Session) { greeted(s, ""); listed(s, 1, "", many...); listed(s, 2, "", search) },
			"1 tool costs about 43 tokens in every conversation; none was called"},
		"two pages": {func(s *panetest.Session) {
			greeted(s, "")
			listed(s, 1, "", append([]string{"next:b"}, many[:20]...)...)
			listed(s, 2, `"cursor":"b"`, many[20:]...)
		}, "40 tools cost about 4,600 tokens in every conversation; none was called"},
		"a page that was not requested": {func(s *panetest.Session) {
			greeted(s, "")
			listed(s, 1, "", append([]string{"next:b"}, many[:20]...)...)
		},
			"at least 20 tools cost about 2,300 tokens in every conversation; none was called"},
		"a page before the recording": {func(s *panetest.Session) { greeted(s, ""); listed(s, 2, `"cursor":"b"`, many[20:]...) },
			"at least 20 tools cost about 2,300 tokens in every conversation; none was called"},
	} {
		t.Run(name, func(t *testing.T) {
			s := panetest.New(t)
			tt.play(s)
			c := s.Context()
			if got := statistics.ReadContext(c.Log, c.Snap, nil).Sentence(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestSkip holds that connections which only probe the server do not count.
func TestSkip(t *testing.T) {
	s := panetest.New(t)
	greeted(s, "")
	listed(s, 1, "", search)
	called(s, 2, "search", `"result":{}`)
	c := s.Context()
	got := statistics.ReadContext(c.Log, c.Snap, func(int) bool { return true })
	if got.Sentence() != "" || got.Tools.Listed() {
		t.Errorf("%+v", got)
	}
}

// TestOf holds that white space, escapes and what clients keep from a model cost nothing.
func TestOf(t *testing.T) {
	plain := statistics.DefinitionOf([]byte(`{"name":"a","description":"日本","inputSchema":{"type":"object"}}`))
	spaced := statistics.DefinitionOf([]byte(`{ "title": "A", "inputSchema": {  "type" : "object" } ,"name":"a","description":"\u65e5\u672c", "_meta": {"x": 1} }`))
	if plain.Tokens != spaced.Tokens || plain.Tokens != 17 || spaced.Bytes != 115 || spaced.Name != "a" {
		t.Errorf("%+v\n%+v", plain, spaced)
	}
	for _, bad := range []string{`null`, `7`, `{"name":7}`, `{"name":"a","inputSchema":"x`, ``} {
		if d := statistics.DefinitionOf([]byte(bad)); d.Bytes != int64(len(bad)) || d.Tokens > 10 {
			t.Errorf("%s: %+v", bad, d)
		}
	}
}

func TestLargest(t *testing.T) {
	d := statistics.DefinitionOf([]byte(search))
	want := []statistics.Member{{Path: "inputSchema.properties.q", Bytes: 50}, {Path: "inputSchema.properties.n", Bytes: 18}, {Path: "outputSchema", Bytes: 17}}
	if diff := cmp.Diff(want, d.Largest(3)); diff != "" {
		t.Error(diff)
	}
}

// TestLargestOfContext holds that what costs most is named, instructions among it.
func TestLargestOfContext(t *testing.T) {
	const small = `{"name":"a","inputSchema":{"type":"object"}}`
	for name, tt := range map[string]struct {
		instructions string
		tools        []string
		what, want   string
	}{
		"nothing":               {"", nil, "0 tools", ""},
		"tools":                 {"", []string{small, search, small}, "3 tools", "search 43, a 12"},
		"instructions between":  {strings.Repeat("x", 100), []string{small, search}, "2 tools and the server's instructions", "search 43, the instructions 25"},
		"instructions first":    {strings.Repeat("x", 1000), []string{small, search}, "2 tools and the server's instructions", "the instructions 250, search 43"},
		"instructions are few":  {"x", []string{search, small}, "2 tools and the server's instructions", "search 43, a 12"},
		"only the instructions": {strings.Repeat("x", 1000), nil, "the server's instructions", "the instructions 250"},
	} {
		t.Run(name, func(t *testing.T) {
			s := panetest.New(t)
			greeted(s, tt.instructions)
			if tt.tools != nil {
				listed(s, 1, "", tt.tools...)
			}
			c := s.Context()
			got := statistics.ReadContext(c.Log, c.Snap, nil)
			if got.What() != tt.what || got.Largest(2) != tt.want {
				t.Errorf("%s: %s, want %s: %s", got.What(), got.Largest(2), tt.what, tt.want)
			}
		})
	}
}

// TestUses holds that uses are counted once, however often the session is looked at, and
// anew where it has gone back.
func TestUses(t *testing.T) {
	s := panetest.New(t)
	greeted(s, "")
	called(s, 2, "search", `"result":{"content":[{"type":"text","text":"abc"}]}`)
	c := s.Context()
	first := (*statistics.Uses)(nil).Count(c.Snap, nil)
	called(s, 3, "search", `"result":{}`)
	s.Client(4, `{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"file:///a"}}`)
	s.Update(c)
	both := first.Count(c.Snap, nil)
	if got := first.Of("tools/call", "search"); got != (statistics.Use{Calls: 1, Bytes: 76, Largest: 76, Row: 3}) {
		t.Errorf("first %+v", got)
	}
	if got := both.Of("tools/call", "search"); got != (statistics.Use{Calls: 2, Bytes: 112, Largest: 76, Row: 3}) || got.Tokens() != 28 {
		t.Errorf("both %+v", got)
	}
	if got := both.Of("resources/read", "file:///a"); got != (statistics.Use{Calls: 1}) {
		t.Errorf("read %+v", got)
	}
	if again := both.Count(c.Snap, nil); again.Of("tools/call", "search") != both.Of("tools/call", "search") || again.Rows() != c.Snap.Len() {
		t.Errorf("counted twice: %+v", again)
	}
	if back := both.Count(panetest.New(t).Context().Snap, nil); back.Rows() != 0 || back.Of("tools/call", "search").Calls != 0 {
		t.Errorf("of an earlier moment: %+v", back)
	}
}

func TestAbout(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 7: "7", 99: "99", 104: "100", 437: "440", 4312: "4,300", 4350: "4,400", 99_950: "100,000"} {
		if got := statistics.AboutTokens(n); got != want {
			t.Errorf("About(%d) = %s, want %s", n, got, want)
		}
	}
}
