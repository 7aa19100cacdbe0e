package clientconfig

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// A Client is a program that starts MCP servers named in its configuration.
type Client struct {
	ID      string // ID is what people type: "claude-desktop".
	Title   string // Title is its name: "Claude Desktop".
	Restart string // Restart says how it is made to read its file again.

	format  format
	user    []location
	project []location // project are its files in a project's folder.
}

// A location is where a client keeps a user's files.
type location struct {
	folder func(Place) string // folder returns the empty string where there is none.
	path   string             // path is below folder, with slashes; every file that matches where it has a star.

	format  format // format is the file's own; nil = the client's.
	some    bool   // some: the file is for other settings too, and is left out where it has no servers.
	parents bool   // parents: the client reads the files of the folders above too.
}

func in(folder func(Place) string, path string) location { return location{folder: folder, path: path} }

// with is a file of a format of its own that is for other settings too.
func (l location) with(f format) location {
	l.format, l.some = f, true
	return l
}

// below are the same files in several folders.
func below(root func(Place) string, folders []string, paths ...string) (all []location) {
	for _, folder := range folders {
		for _, path := range paths {
			all = append(all, in(root, folder+"/"+path))
		}
	}
	return all
}

// Other is the ID of a client that is not known here: its file is named by the user.
const Other = "file"

// All returns the known clients, in the order in which they are listed.
func All() []Client {
	return slices.Concat(desktopClients(), editorClients(), terminalClients())
}

var (
	mcpServers = jsonFormat{paths: []string{"mcpServers"}}
	// vsSettings is where VS Code had servers until 1.101, and has those of a folder.
	vsSettings = jsonFormat{paths: []string{"mcp/servers"}, jsonc: true}
	// anyJSON is a file of a client that is not known here.
	anyJSON = jsonFormat{paths: []string{"mcpServers", "servers", "mcp/servers", "settings/mcp/servers", "context_servers", "amp.mcpServers", "mcp"}}

	// continueYAML is a list of entries with names; Goose's are by name.
	continueYAML = yamlFormat{key: "mcpServers", command: "command", env: "env", url: "url"}
	gooseYAML    = yamlFormat{key: "extensions", command: "cmd", env: "envs", url: "uri"}

	// codeFolders are VS Code's folders of a user's files.
	codeFolders = []string{"Code/User", "Code - Insiders/User"}
	// codeServers are those on a machine that a VS Code elsewhere works on.
	codeServers = []string{".vscode-server/data/User", ".vscode-server-insiders/data/User"}
)

func desktopClients() []Client {
	return []Client{
		{
			ID: "claude-desktop", Title: "Claude Desktop", Restart: "quit Claude Desktop and start it again (closing its window is not enough)",
			format: mcpServers,
			user: []location{
				in(Place.desktop, "Claude/claude_desktop_config.json"),
				in(Place.packages, "Claude_*/LocalCache/Roaming/Claude/claude_desktop_config.json"),
			},
		},
		{
			ID: "claude-code", Title: "Claude Code", Restart: "start a new Claude Code session, or reconnect the server under /mcp",
			format: jsonFormat{paths: []string{"mcpServers"}, projects: "projects"},
			user:   []location{in(Place.claudeCode, ".claude.json")},
			// https://github.com/anthropics/claude-code/issues/42465
			project: []location{{folder: Place.project, path: ".mcp.json", parents: true}},
		},
		{
			// https://lmstudio.ai/docs/app/mcp
			ID: "lm-studio", Title: "LM Studio", Restart: "save mcp.json in LM Studio's editor, or restart LM Studio",
			format: mcpServers,
			user:   []location{in(Place.home, ".lmstudio/mcp.json")},
		},
	}
}

// continueBlocks are the files of Continue with servers alone, in a folder.
func continueBlocks(folder func(Place) string) []location {
	const blocks = ".continue/mcpServers/*."
	return []location{in(folder, blocks+"json"), in(folder, blocks+"yaml").with(continueYAML), in(folder, blocks+"yml").with(continueYAML)}
}

func editorClients() []Client {
	return []Client{
		{
			ID: "cursor", Title: "Cursor", Restart: "switch the server off and on in Cursor's MCP settings, or restart Cursor",
			format: mcpServers,
			user:   []location{in(Place.home, ".cursor/mcp.json")}, project: []location{in(Place.project, ".cursor/mcp.json")},
		},
		{
			// https://code.visualstudio.com/docs/agents/reference/mcp-configuration
			ID: "vscode", Title: "VS Code", Restart: "run “MCP: List Servers” in VS Code and restart the server",
			format: jsonFormat{paths: []string{"servers"}, jsonc: true},
			user: slices.Concat(below(Place.desktop, codeFolders, "mcp.json", "profiles/*/mcp.json"), below(Place.home, codeServers, "mcp.json"),
				[]location{in(Place.desktop, "Code/User/settings.json").with(vsSettings), in(Place.desktop, "Code - Insiders/User/settings.json").with(vsSettings)}),
			project: []location{
				in(Place.project, ".vscode/mcp.json"), in(Place.project, ".vscode/settings.json").with(vsSettings),
				in(Place.project, "*.code-workspace").with(jsonFormat{paths: []string{"settings/mcp/servers"}, jsonc: true}),
			},
		},
		{
			ID: "vscodium", Title: "VSCodium", Restart: "run “MCP: List Servers” in VSCodium and restart the server",
			format: jsonFormat{paths: []string{"servers"}, jsonc: true},
			user:   below(Place.desktop, []string{"VSCodium/User"}, "mcp.json", "profiles/*/mcp.json"),
		},
		{
			ID: "windsurf", Title: "Windsurf", Restart: "refresh the MCP servers in Windsurf's Cascade panel, or restart Windsurf",
			format: mcpServers,
			user:   []location{in(Place.home, ".codeium/windsurf/mcp_config.json")},
		},
		{
			ID: "cline", Title: "Cline", Restart: "restart the server in Cline's list of MCP servers",
			format: mcpServers,
			user: slices.Concat(below(Place.desktop, codeFolders, "globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
				below(Place.home, codeServers, "globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json")),
		},
		{
			// https://docs.roocode.com/features/mcp/using-mcp-in-roo
			ID: "roo", Title: "Roo Code", Restart: "restart the server in Roo Code's MCP settings",
			format: mcpServers,
			user: slices.Concat(below(Place.desktop, codeFolders, "globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"),
				below(Place.home, codeServers, "globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json")),
			project: []location{in(Place.project, ".roo/mcp.json")},
		},
		{
			// https://docs.continue.dev/customize/deep-dives/mcp
			ID: "continue", Title: "Continue", Restart: "reload the window of the editor",
			format:  mcpServers,
			user:    append(continueBlocks(Place.home), in(Place.home, ".continue/config.yaml").with(continueYAML)),
			project: continueBlocks(Place.project),
		},
		{
			// https://kiro.dev/docs/mcp/configuration
			ID: "kiro", Title: "Kiro", Restart: "reconnect the server in Kiro's list of MCP servers, or restart Kiro",
			format: mcpServers,
			user:   []location{in(Place.home, ".kiro/settings/mcp.json")}, project: []location{in(Place.project, ".kiro/settings/mcp.json")},
		},
		{
			ID: "zed", Title: "Zed", Restart: "Zed restarts the server when the file is saved; if not, restart Zed",
			format: jsonFormat{paths: []string{"context_servers"}, jsonc: true},
			user:   []location{in(Place.zed, "settings.json"), {folder: Place.zedFlatpak, path: "settings.json", some: true}}, project: []location{in(Place.project, ".zed/settings.json")},
		},
		{
			// https://junie.jetbrains.com/docs/junie-cli-mcp-configuration.html
			ID: "junie", Title: "Junie", Restart: "start a new Junie session, or reload its MCP settings in the IDE",
			format: mcpServers,
			user:   []location{in(Place.home, ".junie/mcp/mcp.json")}, project: []location{in(Place.project, ".junie/mcp/mcp.json")},
		},
	}
}

func terminalClients() []Client {
	amp := jsonFormat{paths: []string{"amp.mcpServers"}, jsonc: true}
	// The first is of 2.0, the second of 1.x.
	opencode := jsonFormat{paths: []string{"mcp/servers", "mcp"}, jsonc: true}
	return []Client{
		{
			ID: "codex", Title: "Codex", Restart: "start a new Codex session",
			format: tomlFormat{},
			user:   []location{in(Place.codex, "config.toml")}, project: []location{in(Place.project, ".codex/config.toml")},
		},
		{
			ID: "gemini", Title: "Gemini CLI", Restart: "start Gemini CLI again",
			format: mcpServers,
			user:   []location{in(Place.home, ".gemini/settings.json")}, project: []location{in(Place.project, ".gemini/settings.json")},
		},
		{
			// https://docs.github.com/copilot/reference/copilot-cli-reference/cli-config-dir-reference
			ID: "copilot", Title: "Copilot CLI", Restart: "start Copilot CLI again",
			format: mcpServers,
			user:   []location{in(Place.copilot, "mcp-config.json")},
		},
		{
			// https://block.github.io/goose/docs/guides/config-files
			ID: "goose", Title: "Goose", Restart: "start a new Goose session",
			format: gooseYAML,
			user:   []location{in(Place.goose, "config.yaml")},
		},
		{
			// https://opencode.ai/docs/config/
			ID: "opencode", Title: "OpenCode", Restart: "start OpenCode again",
			format:  opencode,
			user:    []location{in(Place.xdgEverywhere, "opencode/opencode.json").with(opencode), in(Place.xdgEverywhere, "opencode/opencode.jsonc").with(opencode)},
			project: []location{in(Place.project, "opencode.json").with(opencode), in(Place.project, "opencode.jsonc").with(opencode)},
		},
		{
			// https://ampcode.com/manual
			ID: "amp", Title: "Amp", Restart: "start Amp again",
			format:  amp,
			user:    []location{in(Place.xdgEverywhere, "amp/settings.json").with(amp), in(Place.xdgEverywhere, "amp/settings.jsonc").with(amp)},
			project: []location{in(Place.project, ".amp/settings.json").with(amp), in(Place.project, ".amp/settings.jsonc").with(amp)},
		},
	}
}

// Lookup returns the client with an ID, which may be Other.
func Lookup(id string) (Client, bool) {
	for _, c := range All() {
		if c.ID == id {
			return c, true
		}
	}
	if id == Other {
		return Client{ID: Other, Title: "another client", Restart: "restart the client that reads the file", format: anyJSON}, true
	}
	return Client{}, false
}

// files returns the client's files, none of them read.
func (c Client) files(p Place) []File {
	var all []File
	add := func(l location, path string, level Level) {
		all = append(all, File{Client: c.ID, Path: path, Level: level, format: cmp.Or(l.format, c.format), some: l.some})
	}
	for _, l := range c.user {
		for _, path := range l.paths(p) {
			add(l, path, User)
		}
	}
	// What lies in the home folder is the user's: that folder is not a project.
	if p.Project == "" || p.Home != "" && filepath.Clean(p.Project) == filepath.Clean(p.Home) {
		return all
	}
	for _, l := range c.project {
		for _, path := range l.paths(p) {
			add(l, path, Project)
		}
		above := l
		above.some = true
		for at := p; l.parents && filepath.IsAbs(at.Project) && filepath.Dir(filepath.Dir(at.Project)) != filepath.Dir(at.Project); {
			at.Project = filepath.Dir(at.Project)
			for _, path := range l.paths(at) {
				add(above, path, Project)
			}
		}
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

// A Place is where clients are looked for.
type Place struct {
	Home    string // Home is the user's home folder; empty = no files of users.
	Project string // Project is the project's folder; empty = no files of projects.
	OS      string // OS is a GOOS: "darwin", "windows", and any other is taken as Linux.

	// Getenv gives the variables by which clients let their folders be moved
	// (XDG_CONFIG_HOME, APPDATA, LOCALAPPDATA, CODEX_HOME, CLAUDE_CONFIG_DIR, COPILOT_HOME); nil = none is set.
	Getenv func(string) string
}

// A Level says whom a file, or an entry in it, is for.
type Level string

// The levels.
const (
	User    Level = "user"    // User: this user, in every project.
	Project Level = "project" // Project: all users of the project; it may come from a stranger.
	Local   Level = "local"   // Local: this user in one project. Only Claude Code has it.
)

func (p Place) env(name string) string {
	if p.Getenv == nil {
		return ""
	}
	return p.Getenv(name)
}

func (p Place) home() string { return p.Home }

func (p Place) project() string { return p.Project }

// below is a folder below home, or empty without one.
func (p Place) below(parts ...string) string {
	if p.Home == "" {
		return ""
	}
	return filepath.Join(append([]string{p.Home}, parts...)...)
}

// xdg is where Linux programs keep their configuration.
func (p Place) xdg() string {
	if dir := p.env("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	return p.below(".config")
}

// appData is where Windows programs keep it.
func (p Place) appData() string { return cmp.Or(p.env("APPDATA"), p.below("AppData", "Roaming")) }

// desktop is the folder that Electron programs call appData.
func (p Place) desktop() string {
	switch p.OS {
	case "darwin":
		return p.below("Library", "Application Support")
	case "windows":
		return p.appData()
	}
	return p.xdg()
}

// packages is where Windows keeps the files of programs that are installed as
// packages (MSIX). Since 2026 Claude Desktop is one: it sees its own copy of the
// roaming folder, and does not read the file at the old place.
func (p Place) packages() string {
	if p.OS != "windows" {
		return ""
	}
	if dir := p.env("LOCALAPPDATA"); dir != "" {
		return filepath.Join(dir, "Packages")
	}
	return p.below("AppData", "Local", "Packages")
}

func (p Place) claudeCode() string { return cmp.Or(p.env("CLAUDE_CONFIG_DIR"), p.Home) }

func (p Place) copilot() string { return cmp.Or(p.env("COPILOT_HOME"), p.below(".copilot")) }

// xdgEverywhere is where programs keep their configuration that use the folder of Linux
// on every system.
func (p Place) xdgEverywhere() string {
	if p.OS == "windows" || p.OS == "darwin" {
		return p.below(".config")
	}
	return p.xdg()
}

// zedFlatpak is Zed's folder where it was installed by Flatpak.
func (p Place) zedFlatpak() string {
	if p.OS == "windows" || p.OS == "darwin" {
		return ""
	}
	return p.below(".var", "app", "dev.zed.Zed", "config", "zed")
}

// goose is Goose's folder.
func (p Place) goose() string {
	dir, name := p.xdgEverywhere(), "goose"
	if p.OS == "windows" {
		dir, name = p.appData(), filepath.Join("Block", "goose", "config")
	}
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, name)
}

func (p Place) codex() string { return cmp.Or(p.env("CODEX_HOME"), p.below(".codex")) }

// zed is Zed's folder. On macOS it uses ~/.config too.
func (p Place) zed() string {
	dir, name := p.xdg(), "zed"
	switch p.OS {
	case "windows":
		dir, name = p.appData(), "Zed"
	case "darwin":
		dir = p.below(".config")
	}
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, name)
}

// globQuote makes a path stand for itself in a pattern. Windows has no quoting
// there; its paths seldom have brackets.
func globQuote(path string) string {
	if filepath.Separator == '\\' {
		return path
	}
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(path)
}
