package check

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/path"
)

// recorded reads a recording of lines, each the stream and the message.
func recorded(t *testing.T, lines ...string) (*session.Snapshot, recorder.Log) {
	t.Helper()
	text := `{"k":"hdr","fmt":"mcpcap","v":1,"minv":1,"sid":"00112233445566778899aabbccddeeff","tool":"wiretea/test","t0":"2026-11-20T10:00:00.000000000Z","mode":"tee","tr":"stdio","cmd":["x"],"cwd":"/"}` + "\n"
	for i, line := range lines {
		stream, body, _ := strings.Cut(line, " ")
		text += fmt.Sprintf(`{"k":"f","n":%d,"t":%d,"d":"%s","len":%d,"b":%s}`+"\n", i+1, (i+1)*1000, stream, len(body), body)
	}
	file := filepath.Join(t.TempDir(), "s.mcpcap.jsonl")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := recorder.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	a := session.NewAnalyzer(session.Config{})
	r := recorder.NewReader(log, 0)
	for {
		var rec session.Record
		if err := r.Next(&rec); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		a.Add(&rec)
	}
	a.Close()
	return a.Snapshot(), log
}

// talk is a session with requests of both sides.
var talk = []string{
	`c2s {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
	`s2c {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`,
	`c2s {"jsonrpc":"2.0","method":"notifications/initialized"}`,
	`c2s {"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
	`s2c {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"shell","inputSchema":{"type":"object"}},{"name":"a.b","inputSchema":{"type":"object"}}]}}`,
	`c2s {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"shell","arguments":{"cmd":"ls"}}}`,
	`s2c {"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{"maxTokens":1,"messages":[]}}`,
	`c2s {"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"no"}}`,
	`s2c {"jsonrpc":"2.0","id":2,"result":{"content":[]}}`,
	`c2s {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a.b","arguments":{}}}`,
	`s2c {"jsonrpc":"2.0","id":3,"result":{"content":[]}}`,
}

// TestTry holds what a policy would have done to the messages of a recording.
func TestTry(t *testing.T) {
	s, log := recorded(t, talk...)
	rule := func(filter, action string) string {
		return fmt.Sprintf("[[rule]]\nfilter = '%s'\naction = '%s'\n", filter, action)
	}
	for _, c := range []struct{ name, rules, want string }{
		{"nothing", "", "s: 0 of 11 messages denied\n"},
		{"denied", rule("t~^shell$", "deny"), "denied    #6 c2s tools/call shell  policy: rule-1\ns: 1 of 11 messages denied\n"},
		{"asked", rule("t~^shell$", "ask"), "held      #6 c2s tools/call shell  policy: rule-1\ns: 0 of 11 messages denied, 1 held for a person\n"},
		{"of the server", rule("m:sampling/ d:s2c", "deny"), "denied    #7 s2c sampling/createMessage  policy: rule-1\ns: 1 of 11 messages denied\n"},
		{"noted", rule("t~^shell$", "log"), "noted     #6 c2s tools/call shell  policy: rule-1\ns: 0 of 11 messages denied\n"},
	} {
		p, err := path.ParsePolicy([]byte(c.rules))
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		denied, err := try(&got, "s", s, log, p)
		if err != nil || got.String() != c.want || denied != strings.Count(c.want, "denied    #") {
			t.Errorf("%s: %v, %d denied\n got %s\nwant %s", c.name, err, denied, got.String(), c.want)
		}
	}
}
