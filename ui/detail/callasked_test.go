package detail_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	tea "charm.land/bubbletea/v2"

	"wiretea/ui/detail"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
)

// TestCopyCallAsked holds that the line of a request has somebody asked again
// where the server asked for it, and that it is the first leg's.
func TestCopyCallAsked(t *testing.T) {
	as := []string{"--sampling", "ask", "--elicitation", "ask", "--root", "ask"}
	legacy := panetest.New(t)
	legacy.Client(1, initialize)                                                                               // 0
	legacy.Server(2, initialized)                                                                              // 1
	legacy.Client(3, ready)                                                                                    // 2
	legacy.Client(4, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"order"}}`)               // 3
	legacy.Server(5, `{"jsonrpc":"2.0","id":"s","method":"elicitation/create","params":{"message":"which?"}}`) // 4
	legacy.Client(6, `{"jsonrpc":"2.0","id":"s","result":{"action":"decline"}}`)                               // 5
	legacy.Server(7, `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)                                       // 6
	legacy.Client(8, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo"}}`)                // 7
	legacy.Server(9, `{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)                                       // 8

	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"wiretea","version":"1"}}`
	modern := panetest.New(t)
	modern.Client(1, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"think",`+meta+`}}`)                                                                           // 0
	modern.Server(2, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"sampling/createMessage","params":{}}},"requestState":"s1"}}`) // 1
	modern.Client(3, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"think","inputResponses":{"a":{"role":"assistant"}},"requestState":"s1",`+meta+`}}`)           // 2
	modern.Server(4, `{"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","inputRequests":{"b":{"method":"roots/list"}},"requestState":"s2"}}`)                         // 3
	modern.Client(5, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"think","inputResponses":{"b":{"roots":[]}},"requestState":"s2",`+meta+`}}`)                   // 4
	modern.Server(6, `{"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","content":[]}}`)                                                                                    // 5
	modern.Client(7, `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"echo","arguments":{"text":"input_required"},`+meta+`}}`)                                      // 6
	modern.Server(8, `{"jsonrpc":"2.0","id":4,"result":{"resultType":"complete","content":[]}}`)                                                                                    // 7

	const behind = ` --cwd /home/ann/project -- node server.js`
	for _, c := range []struct {
		name string
		in   *panetest.Session
		row  uint32
		want string
	}{
		{"legacy", legacy, 6, `wiretea call tools/call '{"name":"order"}' --protocol-version 2025-11-25 --elicitation ask`},
		{"legacy, nothing", legacy, 7, `wiretea call tools/call '{"name":"echo"}' --protocol-version 2025-11-25`},
		{"modern, first leg", modern, 0, `wiretea call tools/call '{"name":"think"}' --protocol-version 2026-07-28 --sampling ask --root ask`},
		{"modern, last leg", modern, 5, `wiretea call tools/call '{"name":"think"}' --protocol-version 2026-07-28 --sampling ask --root ask`},
		{"modern, nothing", modern, 7, `wiretea call tools/call '{"name":"echo","arguments":{"text":"input_required"}}' --protocol-version 2026-07-28`},
	} {
		ctx := c.in.Context()
		h := *ctx.Header
		h.As, h.Mode = as, "run"
		ctx.Header = &h
		p := detail.New()
		p.View(ctx, 60, 20, true)
		at(t, p, ctx, c.row)
		got := panetest.Do(t, p, ctx, keys.CopyCall)
		if diff := cmp.Diff([]tea.Msg{pane.CopyMsg{What: "the command line", Text: c.want + behind}}, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.name, diff)
		}
	}
}
