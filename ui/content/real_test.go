package content

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

// A realExchange is an exchange with a public server, recorded from the servers that
// testdata/real.jsonl names. Paths were shortened, nothing else.
type realExchange struct {
	Server, Method    string
	Request, Response json.RawMessage
}

func realExchanges(t testing.TB) []realExchange {
	t.Helper()
	text, err := os.ReadFile("testdata/real.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var all []realExchange
	for line := range bytes.Lines(text) {
		var x realExchange
		if err := json.Unmarshal(line, &x); err != nil {
			t.Fatal(err)
		}
		all = append(all, x)
	}
	return all
}

// TestRealServers holds how the results of real servers are laid out, against
// testdata/real.txt.
func TestRealServers(t *testing.T) {
	all := realExchanges(t)
	if len(all) < 40 {
		t.Fatalf("%d results of real servers, want 40 at least", len(all))
	}
	var got bytes.Buffer
	schemas := map[string]value{} // schemas are the output schemas by server and tool.
	for i, x := range all {
		for _, tool := range value(x.Response).get("result").get("tools").items() {
			schemas[x.Server+" "+tool.get("name").text()] = tool.get("outputSchema")
		}
		output := schemas[x.Server+" "+value(x.Request).get("params").get("name").text()]
		lines := Read(Message{Request: x.Request, Response: x.Response, Method: x.Method, Schema: output}).Layout(76, false)
		checkLines(t, lines, 76)
		fmt.Fprintf(&got, "════ %d %s %s\n%s", i+1, x.Server, x.Method, written(lines, false))
	}
	golden(t, "testdata/real.txt", got.Bytes())
}
