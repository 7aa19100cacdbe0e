package checkup

import (
	"strings"
	"testing"

	trips "wiretea/session/client/http"
	"wiretea/session/json/lex"
)

// TestMixedUpTools holds the same for calls of tools, whose error responses name the tool
// with most servers.
func TestMixedUpTools(t *testing.T) {
	answer := func(id, what string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32602,"message":"Unknown tool: ` + what + `"}}`
	}
	own := []string{answer("1", "wiretea-no-such-tool-1-1"), answer("2", "wiretea-no-such-tool-1-2"), answer("1", "wiretea-no-such-tool-2-1"), answer("2", "wiretea-no-such-tool-2-2")}
	for name, tt := range map[string]struct {
		order [4]int // order is whose answer each of the four gets.
		want  string
	}{
		"right":          {[4]int{0, 1, 2, 3}, ""},
		"within one":     {[4]int{1, 0, 2, 3}, "tools/call 1 was answered with the response to tools/call 2, a request at the same time"},
		"another client": {[4]int{2, 1, 0, 3}, "tools/call 1 of one client was answered with the response to tools/call 1 of another client"},
	} {
		all := []*asking{asking{who: 0, id: 1}.calling(), asking{who: 0, id: 2}.calling(), asking{who: 1, id: 1}.calling(), asking{who: 1, id: 2}.calling()}
		for i, a := range all {
			a.answer = &trips.Response{Status: 200, Text: []byte(own[tt.order[i]])}
		}
		if got := mixedUp(all); got != tt.want {
			t.Errorf("%s: %q", name, got)
		}
		for _, a := range all { // A server that does not name the tool.
			a.answer.Text = []byte(strings.ReplaceAll(string(a.answer.Text), "wiretea-no-such-tool", "no such tool"))
		}
		if got := mixedUp(all); strings.Contains(got, "another client") {
			t.Errorf("%s, without names: %q", name, got)
		}
	}
}

// TestMixedUp holds what is called a wrong exchange, and what is another fault or none.
func TestMixedUp(t *testing.T) {
	const empty, tools, discover = `{}`, `{"tools":[]}`, `{"supportedVersions":[]}`
	answer := func(id, result string) string { return `{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}` }
	for name, tt := range map[string]struct {
		methods [2]string
		answers [4]string // answers are to requests 1 and 2 of the first client, 1 and 2 of the second.
		want    string
	}{
		"right":                  {[2]string{"ping", "tools/list"}, [4]string{answer("1", empty), answer("2", tools), answer("1", tools), answer("2", empty)}, ""},
		"another id":             {[2]string{"ping", "tools/list"}, [4]string{answer("2", tools), answer("2", tools), answer("1", tools), answer("2", empty)}, "ping 1 was answered with the response to tools/list 2, a request at the same time"},
		"another client":         {[2]string{"ping", "tools/list"}, [4]string{answer("1", tools), answer("2", tools), answer("1", empty), answer("2", empty)}, "ping 1 of one client was answered with the response to tools/list 1 of another client"},
		"another client, modern": {[2]string{"server/discover", "tools/list"}, [4]string{answer("1", discover), answer("2", discover), answer("1", tools), answer("2", tools)}, "tools/list 2 of one client was answered with the response to server/discover 2 of another client"},
		"an id of nobody":        {[2]string{"ping", "ping"}, [4]string{answer("9", empty), answer("null", empty), answer(`"1"`, empty), ""}, ""},
		"a list that is empty":   {[2]string{"ping", "tools/list"}, [4]string{answer("1", empty), answer("2", empty), answer("1", empty), answer("2", empty)}, ""},
		"an error":               {[2]string{"ping", "tools/list"}, [4]string{`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}`, answer("2", tools), answer("1", tools), answer("2", empty)}, ""},
	} {
		m := tt.methods
		all := []*asking{{who: 0, id: 1, method: m[0]}, {who: 0, id: 2, method: m[1]}, {who: 1, id: 1, method: m[1]}, {who: 1, id: 2, method: m[0]}}
		for i, text := range tt.answers {
			all[i].answer = &trips.Response{Status: 200, Text: []byte(text), Result: lex.Get([]byte(text), "result")}
		}
		if got := mixedUp(all); !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}
