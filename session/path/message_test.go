package path

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"wiretea/session"
	"wiretea/session/jsonrpc"
)

func TestParse(t *testing.T) {
	const id = `"wiretea-0a-1"`
	for _, c := range []struct{ text, want string }{ // want is the line, or "refused: why".
		{`{"jsonrpc":"2.0","id":7,"method":"ping"}`, `{"jsonrpc":"2.0","id":"wiretea-0a-1","method":"ping"}`},
		{" {\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"ping\"}\r\n", `{"jsonrpc":"2.0","id":"wiretea-0a-1","method":"ping"}`},
		{`{"method":"tools/call","params":{"n":1.0,"_meta":{"progressToken":5,"x":1}},"jsonrpc":"2.0","id":0}`,
			`{"method":"tools/call","params":{"n":1.0,"_meta":{"progressToken":"wiretea-0a-1","x":1}},"jsonrpc":"2.0","id":"wiretea-0a-1"}`},
		{`{"jsonrpc":"2.0","id":1,"method":"a","params":{"_meta":{"progressToken":"longer than the id is"}}}`,
			`{"jsonrpc":"2.0","id":"wiretea-0a-1","method":"a","params":{"_meta":{"progressToken":"wiretea-0a-1"}}}`},
		{`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":5,"progress":1}}`,
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":5,"progress":1}}`},
		{"{\"jsonrpc\":\"2.0\",\n\"id\":1,\"method\":\"ping\"}", "refused: the message contains a line break"},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r{}", "refused: the message contains a line break"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"`, "refused: it is not JSON, or not all of it"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"} {}`, "refused: it is not JSON, or not all of it"},
		{``, "refused: it is not JSON, or not all of it"},
		{`ping`, "refused: it is not JSON, or not all of it"},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "refused: it is a batch"},
		{`7`, "refused: it is not a JSON object"},
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, "refused: it is a response, and those are for the client to give"},
		{`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}`, "refused: it is a response, and those are for the client to give"},
		{`{"jsonrpc":"2.0","id":1}`, "refused: it has no method"},
		{`{"id":1,"method":"ping"}`, `refused: it does not say "jsonrpc":"2.0"`},
		{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, "refused: its id is neither a string nor a number"},
		{`{"jsonrpc":"2.0","id":1,"method":7}`, "refused: its method is not a name"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`, "refused: params must be an object"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","extra":1}`, `refused: it has the member "extra", which no message has`},
		{`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, "refused: it is badly written: duplicate key"},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", "refused: it is badly written: invalid UTF-8"},
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, "refused: the handshake is the client's own"},
		{`{"jsonrpc":"2.0","method":"notifications\/initialized"}`, "refused: the handshake is the client's own"},
		{`{"jsonrpc":"2.0","id":1,"method":"a","params":` + strings.Repeat(`{"a":`, 300) + "1" + strings.Repeat("}", 301), "refused: it is nested more than 200 deep"},
	} {
		m, err := parse([]byte(c.text))
		got := ""
		if err != nil {
			got = err.Error()
			if !errors.Is(err, session.ErrRefused) {
				t.Errorf("%.60q: %v is not ErrRefused", c.text, err)
			}
		} else {
			got = strings.TrimSuffix(string(m.line(id)), "\n")
		}
		if got != c.want {
			t.Errorf("%.80q:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
	if _, err := parse(bytes.Repeat([]byte{' '}, MaxMessage+1)); err == nil {
		t.Error("white space is a message")
	}
}

// FuzzParse holds that whatever is sent is one line, one message, with the id that
// was given and nothing else changed.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":{"progressToken":[1]}}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","method":"a\u0062","params":{}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := parse(text)
		if err != nil {
			return
		}
		line := m.line(`"wiretea-0a-1"`)
		if bytes.IndexByte(line, '\n') != len(line)-1 || bytes.IndexByte(line, '\r') >= 0 || !json.Valid(line) {
			t.Fatalf("%q became %q", text, line)
		}
		n := 0
		jsonrpc.Scan(line, func(found *jsonrpc.Message) {
			n++
			if m.request != found.ID.Present() || m.request && !found.ID.Is("wiretea-0a-1") {
				t.Fatalf("%q has the id %q", line, found.ID.Raw)
			}
			if token := found.Field(jsonrpc.MetaProgressToken); m.request && token.Present() && !token.Is("wiretea-0a-1") {
				t.Fatalf("%q has the token %q", line, token.Raw)
			}
		})
		if n != 1 {
			t.Fatalf("%q is %d messages", line, n)
		}
	})
}

// TestGuardLongMessage checks that a message that is too long is not injected.
func TestGuardLongMessage(t *testing.T) {
	const around = len(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":""}}`)
	for n, ok := range map[int]bool{MaxMessage: true, MaxMessage + 1: false} {
		text := `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"` + strings.Repeat("x", n-around) + `"}}`
		if _, err := parse([]byte(text)); (err == nil) != ok {
			t.Errorf("a message of %d bytes: %v", len(text), err)
		}
	}
}

func TestCancellation(t *testing.T) {
	for _, c := range []struct{ id, reason, want string }{
		{`7`, "", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`},
		{`"a\"b"`, "too \"slow\"\n", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a\"b","reason":"too \"slow\"\n"}}`},
		{`null`, "", ""}, {``, "", ""}, {`7,"x":1`, "", ""}, {` 7`, "", ""}, {`{}`, "", ""}, {"7\n", "", ""}, {`"a`, "", ""}, {`7,"id":8`, "", ""},
	} {
		line, err := cancellation(c.id, c.reason)
		if got := strings.TrimSuffix(string(line), "\n"); got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%q: %s, %v", c.id, got, err)
		}
	}
}
