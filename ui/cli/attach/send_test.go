package attach

import (
	"encoding/json"
	"strings"
	"testing"

	"wiretea/recorder/capture"
	"wiretea/session/client"
	"wiretea/session/mcp"
	"wiretea/ui/cli/term"
	"wiretea/ui/panetest"
)

// TestComposeFor holds what is sent of what is typed, in sessions whose client is
// another's.
func TestComposeFor(t *testing.T) {
	legacy := func(s *panetest.Session) {
		s.Client(1, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"real","version":"1"}}}`)
		s.Server(2, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"tea","version":"1"}}}`)
		s.Client(3, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	const meta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{}},"io.modelcontextprotocol/clientInfo":{"name":"real","version":"1"}`
	modern := func(s *panetest.Session) {
		s.Client(1, `{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{"_meta":{`+strings.Replace(meta, "real", "early", 1)+`}}}`)
		s.Server(2, `{"jsonrpc":"2.0","id":0,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"serverInfo":{"name":"tea","version":"1"}}}`)
		s.Client(3, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":{"progressToken":5,`+meta+`}}}`)
		s.Injected(4, `{"jsonrpc":"2.0","id":"wiretea-a-1","method":"tools/list","params":{"_meta":{`+strings.Replace(meta, "real", "ours", 1)+`}}}`)
	}
	for _, c := range []struct {
		name    string
		session func(*panetest.Session)
		line    string
		want    string
	}{
		{"legacy", legacy, `tools/call {"name":"echo", "n":1.0}`, `{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{"name":"echo", "n":1.0}}`},
		{"legacy, no parameters", legacy, `tools/list`, `{"jsonrpc":"2.0","id":0,"method":"tools/list"}`},
		{"modern", modern, `tools/list`, `{"jsonrpc":"2.0","id":0,"method":"tools/list","params":{"_meta":{` + meta + `}}}`},
		{"modern, parameters", modern, `tools/call {"name":"echo"}`, `{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{"name":"echo","_meta":{` + meta + `}}}`},
		{"modern, about a task", modern, `tasks/get {"taskId":"t"}`, `{"jsonrpc":"2.0","id":0,"method":"tasks/get","params":{"taskId":"t","_meta":{` +
			strings.Replace(meta, `{"roots":{}}`, `{"roots":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`, 1) + `}}}`},
		{"modern, notification", modern, `notifications/cancelled {"requestId":1}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`},
		{"modern, a whole message", modern, `{"jsonrpc":"2.0","id":9,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":9,"method":"tools/list"}`},
	} {
		s := panetest.New(t)
		c.session(s)
		ctx := s.Context()
		guest := &client.Guest{Speaks: func() (mcp.Era, json.RawMessage) { return capture.Speaks(ctx.Snap, ctx.Log) }}
		got, err := composeFor(guest, c.line)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", c.name, err, got, c.want)
		}
	}
	if _, err := composeFor(&client.Guest{}, `tools/call {"a"`); err == nil {
		t.Error("what is no JSON was composed")
	}
}

func TestJudgeAnswer(t *testing.T) {
	for answer, want := range map[string]int{
		`{"jsonrpc":"2.0","id":"wiretea-a-1","result":{}}`:                                                   term.ExitFine,
		`{"jsonrpc":"2.0","id":"wiretea-a-1","result":{"isError":false}}`:                                    term.ExitFine,
		`{"jsonrpc":"2.0","id":"wiretea-a-1","result":{"isError":true,"content":[]}}`:                        term.ExitFound,
		`{"jsonrpc":"2.0","id":"wiretea-a-1","error":{"code":-32601,"message":"no"}}`:                        term.ExitFound,
		`{"jsonrpc":"2.0","id":"wiretea-a-1","result":{"content":[{"type":"text","text":"isError: true"}]}}`: term.ExitFine,
	} {
		if code, words := judgeAnswer([]byte(answer)); code != want || words == "" {
			t.Errorf("%s: %d, %q", answer, code, words)
		}
	}
}
