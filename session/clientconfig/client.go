package clientconfig

import (
	"path/filepath"
	"strings"
)

// A Client is a program that starts MCP servers named in its configuration.
type Client struct {
	ID      string // ID is what people type: "claude-desktop".
	Title   string // Title is its name: "Claude Desktop".
	Restart string // Restart says how it is made to read its file again.

	format  format
	user    []location
	project string // project is its file in a project's folder, with slashes; empty = none.
}

// A location is where a client keeps a user's files.
type location struct {
	folder func(Place) string // folder returns the empty string where there is none.
	path   string             // path is below folder, with slashes; every file that matches where it has a star.
}

// All returns the known clients, in the order in which they are listed.
func All() []Client {
	mcpServers := jsonFormat{key: "mcpServers"}
	return []Client{
		{
			ID: "claude-desktop", Title: "Claude Desktop", Restart: "quit Claude Desktop and start it again (closing its window is not enough)",
			format: mcpServers,
			user: []location{
				{Place.desktop, "Claude/claude_desktop_config.json"},
				{Place.packages, "Claude_*/LocalCache/Roaming/Claude/claude_desktop_config.json"},
			},
		},
		{
			ID: "claude-code", Title: "Claude Code", Restart: "start a new Claude Code session, or reconnect the server under /mcp",
			format: jsonFormat{key: "mcpServers", projects: "projects"},
			user:   []location{{Place.claudeCode, ".claude.json"}}, project: ".mcp.json",
		},
		{
			ID: "cursor", Title: "Cursor", Restart: "switch the server off and on in Cursor's MCP settings, or restart Cursor",
			format: mcpServers,
			user:   []location{{Place.home, ".cursor/mcp.json"}}, project: ".cursor/mcp.json",
		},
		{
			ID: "vscode", Title: "VS Code", Restart: "run “MCP: List Servers” in VS Code and restart the server",
			format: jsonFormat{key: "servers"},
			user: []location{
				{Place.desktop, "Code/User/mcp.json"},
				{Place.desktop, "Code/User/profiles/*/mcp.json"},
				{Place.desktop, "Code - Insiders/User/mcp.json"},
				{Place.desktop, "Code - Insiders/User/profiles/*/mcp.json"},
			},
			project: ".vscode/mcp.json",
		},
		{
			ID: "windsurf", Title: "Windsurf", Restart: "refresh the MCP servers in Windsurf's Cascade panel, or restart Windsurf",
			format: mcpServers,
			user:   []location{{Place.home, ".codeium/windsurf/mcp_config.json"}},
		},
		{
			ID: "codex", Title: "Codex", Restart: "start a new Codex session",
			format: tomlFormat{},
			user:   []location{{Place.codex, "config.toml"}}, project: ".codex/config.toml",
		},
		{
			ID: "gemini", Title: "Gemini CLI", Restart: "start Gemini CLI again",
			format: mcpServers,
			user:   []location{{Place.home, ".gemini/settings.json"}}, project: ".gemini/settings.json",
		},
		{
			ID: "zed", Title: "Zed", Restart: "Zed restarts the server when the file is saved; if not, restart Zed",
			format: jsonFormat{key: "context_servers"},
			user:   []location{{Place.zed, "settings.json"}}, project: ".zed/settings.json",
		},
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

// files returns the client's files, none of them read.
func (c Client) files(p Place) []File {
	var all []File
	add := func(path string, level Level) {
		all = append(all, File{Client: c.ID, Path: path, Level: level, format: c.format})
	}
	for _, l := range c.user {
		for _, path := range l.paths(p) {
			add(path, User)
		}
	}
	// What lies in the home folder is the user's: that folder is not a project.
	if c.project != "" && p.Project != "" && (p.Home == "" || filepath.Clean(p.Project) != filepath.Clean(p.Home)) {
		add(filepath.Join(p.Project, filepath.FromSlash(c.project)), Project)
	}
	return all
}

func (l location) paths(p Place) []string {
	folder, path := l.folder(p), filepath.FromSlash(l.path)
	switch {
	case folder == "":
		return nil
	case !strings.Contains(path, "*"):
		return []string{filepath.Join(folder, path)}
	}
	// The pattern is bad only for a folder that cannot be quoted on Windows.
	paths, _ := filepath.Glob(filepath.Join(globQuote(folder), path))
	return paths
}
