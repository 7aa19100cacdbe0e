package detail

import (
	"testing"

	"wiretea/session"
)

// TestCallLineTask holds that a call that was run as a task is run as one by its
// line: in the modern era by a flag, for the capability is not among the parameters.
func TestCallLineTask(t *testing.T) {
	h := &session.Header{Mode: "run", Cmd: []string{"server"}}
	for _, c := range []struct{ version, message, want string }{
		{
			"2026-07-28", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"brew","_meta":{"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}}`,
			`wiretea call tools/call '{"name":"brew"}' --protocol-version 2026-07-28 --task -- server`,
		},
		{
			"2025-11-25", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"brew","task":{}}}`,
			`wiretea call tools/call '{"name":"brew","task":{}}' --protocol-version 2025-11-25 -- server`,
		},
		{
			"2026-07-28", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`,
			`wiretea call tools/call '{"name":"echo"}' --protocol-version 2026-07-28 -- server`,
		},
	} {
		if got := CallLine(h, c.version, []byte(c.message), nil); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}
