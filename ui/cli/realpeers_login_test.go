//go:build realpeers

package cli

import (
	"strings"
	"testing"

	"wiretea/ui/cli/term"
)

// TestRealLogin has check look at the login of the example of a server with OAuth that comes
// with version 1 of the TypeScript SDK.
func TestRealLogin(t *testing.T) {
	example := peerPath(t, "node_modules", "@modelcontextprotocol", "sdk", "dist", "esm", "examples", "server", "simpleStreamableHttp.js")
	port := freePort(t)
	startServer(t, []string{"sh", "-c", `exec node "$0" --oauth >&2`, example}, "MCP Streamable HTTP Server listening on port "+port, "MCP_PORT="+port, "MCP_AUTH_PORT="+freePort(t))
	r, _ := checked(t, "http://localhost:"+port+"/mcp")
	for _, name := range []string{"credentials", "metadata", "authorization"} {
		if s := stepOf(t, &r, name); s.State != "passed" {
			t.Errorf("%+v", s)
		}
	}
	if s := stepOf(t, &r, "authorization"); !strings.HasSuffix(s.Text, "is complete; clients register dynamically") {
		t.Errorf("%+v", s)
	}
	if len(r.Findings) != 1 || r.Findings[0].Rule != "no-handshake" {
		t.Errorf("%+v", r.Findings)
	}
}

// TestRealLoggedIn logs in there.
func TestRealLoggedIn(t *testing.T) {
	t.Setenv("BROWSER", "browser")
	example := peerPath(t, "node_modules", "@modelcontextprotocol", "sdk", "dist", "esm", "examples", "server", "simpleStreamableHttp.js")
	port := freePort(t)
	startServer(t, []string{"sh", "-c", `exec node "$0" --oauth >&2`, example}, "MCP Streamable HTTP Server listening on port "+port, "MCP_PORT="+port, "MCP_AUTH_PORT="+freePort(t))
	if r, code := checked(t, "--login", "auto", "http://localhost:"+port+"/mcp"); code != term.ExitFine || len(r.Findings) != 0 {
		t.Errorf("exit code %d, %+v", code, r.Findings)
	}
}
