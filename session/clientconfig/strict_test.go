package clientconfig

import (
	"os"
	"path/filepath"
	"testing"
)

// TestNotStrict holds that what JSON does not allow is named where the client is not known
// to read it, and only there.
func TestNotStrict(t *testing.T) {
	for _, c := range []struct{ name, client, text, want string }{
		{"strict", "claude-desktop", `{"mcpServers":{"a":{"command":"npx","args":[]}}}`, ""},
		{"a comment", "claude-desktop", "{\n  // mine\n  \"mcpServers\":{\"a\":{\"command\":\"npx\"}}}", "line 2 has a comment"},
		{"a block", "claude-code", "{\"mcpServers\":{\"a\":{\"command\":\"npx\"}}}\n\n/* mine */", "line 3 has a comment"},
		{"a comma", "cursor", "{\"mcpServers\":{\"a\":{\"command\":\"npx\",\n\"args\":[\"x\",\n ]}}}", "line 2 has a comma behind the last element"},
		{"a comma in an object", "cursor", "{\"mcpServers\":{\"a\":{\"command\":\"npx\",},}}", "line 1 has a comma behind the last element"},
		{"text that looks like it", "cursor", `{"mcpServers":{"a":{"command":"npx // ,]"}}}`, ""},
		{"VS Code reads it", "vscode", "{\n  // mine\n  \"servers\":{\"a\":{\"command\":\"npx\"}}}", ""},
		{"TOML", "codex", "# mine\n[mcp_servers.a]\ncommand = \"npx\"\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, ok := Lookup(c.client)
			if !ok {
				t.Fatal("no such client")
			}
			path := filepath.Join(t.TempDir(), "config")
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := (Change{Path: path, Before: []byte(c.text), format: client.format}).NotStrict(); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
