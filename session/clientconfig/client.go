package clientconfig

// A Client is a program that starts MCP servers named in its configuration.
type Client struct {
	ID      string // ID is what people type: "claude-desktop".
	Title   string // Title is its name: "Claude Desktop".
	Restart string // Restart says how it is made to read its file again.

	files func(Place) []site
}

// All returns the known clients, in the order in which they are listed.
func All() []Client {
	return []Client{
		{"claude-desktop", "Claude Desktop", "quit Claude Desktop and start it again (closing its window is not enough)", claudeDesktopFiles},
		{"claude-code", "Claude Code", "start a new Claude Code session, or reconnect the server under /mcp", claudeCodeFiles},
		{"cursor", "Cursor", "switch the server off and on in Cursor's MCP settings, or restart Cursor", cursorFiles},
		{"vscode", "VS Code", "run “MCP: List Servers” in VS Code and restart the server", vscodeFiles},
		{"windsurf", "Windsurf", "refresh the MCP servers in Windsurf's Cascade panel, or restart Windsurf", windsurfFiles},
		{"codex", "Codex", "start a new Codex session", codexFiles},
		{"gemini", "Gemini CLI", "start Gemini CLI again", geminiFiles},
		{"zed", "Zed", "Zed restarts the server when the file is saved; if not, restart Zed", zedFiles},
	}
}

// Lookup returns the client with an ID.
func Lookup(id string) (Client, bool) {
	for _, c := range All() {
		if c.ID == id {
			return c, true
		}
	}
	return Client{}, false
}
