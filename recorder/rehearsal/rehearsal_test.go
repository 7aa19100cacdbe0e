package rehearsal

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
	"wiretea/session/decide/policy"
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

func parse(t *testing.T, text string) *policy.Policy {
	t.Helper()
	p, err := policy.Parse([]byte(text), nil)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return p
}

// TestPolicyTest holds what a policy would have done to the messages of a recording.
func TestPolicyTest(t *testing.T) {
	s, log := recorded(t, talk...)
	rule := func(filter, action string) string {
		return fmt.Sprintf("[[rule]]\nfilter = '%s'\naction = '%s'\n", filter, action)
	}
	for _, c := range []struct{ name, rules, want string }{
		{"nothing", "", "11 messages, 0 denied, 0 altered, 0 answered, 0 held"},
		{"denied, and hidden in the list", rule("t~^shell$", "deny"), "11 messages, 1 denied, 1 altered, 0 answered, 0 held; #5 tools/list altered; #6 tools/call shell denied"},
		{"asked", rule("t~^shell$", "ask"), "11 messages, 0 denied, 0 altered, 0 answered, 1 held; #6 tools/call shell held"},
		{"of the server", rule("m:sampling/ d:s2c", "deny"), "11 messages, 1 denied, 0 altered, 0 answered, 0 held; #7 sampling/createMessage denied"},
		{"answered", rule("t~^shell$", "respond") + "result = '{}'\n", "11 messages, 0 denied, 0 altered, 1 answered, 0 held; #6 tools/call shell answered"},
		{"noted", rule("t~^shell$", "log"), "11 messages, 0 denied, 0 altered, 0 answered, 0 held; #6 tools/call shell"},
	} {
		res, err := Test(s, log, parse(t, c.rules))
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%d messages, %d denied, %d altered, %d answered, %d held", res.Messages, res.Denied, res.Altered, res.Answered, res.Held)
		for _, o := range res.Outcomes {
			got += "; " + strings.TrimSpace(fmt.Sprintf("#%d %s %s", o.N, o.Method, o.Target))
			for word, is := range map[string]bool{" denied": o.Denied, " altered": o.Altered, " answered": o.Answered, " held": o.Held} {
				if is {
					got += word
				}
			}
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestSuggest holds that the suggested policy lets its own recording pass, and nothing else: no
// other tool, also none of a similar name, no other method, nothing in the other direction.
func TestSuggest(t *testing.T) {
	s, log := recorded(t, talk...)
	text, batches := Suggest(s)
	p := parse(t, text)
	if res, err := Test(s, log, p); err != nil || res.Denied+res.Altered+res.Answered+res.Held > 0 || batches != 0 {
		t.Errorf("%+v, %v, %d batches, under\n%s", res, err, batches, text)
	}
	for _, line := range []string{
		`c2s {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"rm"}}`,
		`c2s {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"shell2"}}`,
		`c2s {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"aXb"}}`,
		`c2s {"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"file:///x"}}`,
		`c2s {"jsonrpc":"2.0","id":4,"method":"sampling/createMessage","params":{}}`,
		`s2c {"jsonrpc":"2.0","id":4,"method":"tools/list"}`,
	} {
		s, log := recorded(t, line)
		if res, err := Test(s, log, p); err != nil || res.Denied != 1 {
			t.Errorf("%s: %+v, %v", line, res, err)
		}
	}
	s, _ = recorded(t, `c2s [{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/list"}]`)
	if _, batches := Suggest(s); batches != 1 {
		t.Errorf("%d batches", batches)
	}
}
