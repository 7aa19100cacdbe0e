package clientconfig

import "path/filepath"

// A Place is where clients are looked for.
type Place struct {
	Home    string // Home is the user's home folder; empty = no files of users.
	Project string // Project is the project's folder; empty = no files of projects.
	OS      string // OS is a GOOS: "darwin", "windows", and any other is taken as Linux.

	// Getenv gives the variables by which clients let their folders be moved
	// (XDG_CONFIG_HOME, APPDATA, LOCALAPPDATA, CODEX_HOME, CLAUDE_CONFIG_DIR); nil = none is set.
	Getenv func(string) string
}

// A Level says whom a file, or an entry in it, is for.
type Level string

// The levels.
const (
	User    Level = "user"    // User: this user, in every project.
	Project Level = "project" // Project: whoever works in the project; it may come from a stranger.
	Local   Level = "local"   // Local: this user in one project. Only Claude Code has it.
)

// A site is a file that a client would read, and what it looks like.
type site struct {
	path   string
	level  Level
	format format
}

// jsonUnder is JSON, with or without comments, whose servers are under a key.
func jsonUnder(key string) format { return jsonFormat{key: key} }

func (p Place) env(name string) string {
	if p.Getenv == nil {
		return ""
	}
	return p.Getenv(name)
}

// user returns a path below the home folder as a site; none without a home.
func (p Place) user(f format, dir string, parts ...string) []site {
	if dir == "" {
		return nil
	}
	return []site{{filepath.Join(append([]string{dir}, parts...)...), User, f}}
}

// inProject returns a path below the project as a site. The home folder is no
// project: what lies there is the user's.
func (p Place) inProject(f format, parts ...string) []site {
	if p.Project == "" || p.Home != "" && filepath.Clean(p.Project) == filepath.Clean(p.Home) {
		return nil
	}
	return []site{{filepath.Join(append([]string{p.Project}, parts...)...), Project, f}}
}

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
func (p Place) appData() string {
	if dir := p.env("APPDATA"); dir != "" {
		return dir
	}
	return p.below("AppData", "Roaming")
}

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

// claudeDesktopFiles: where Claude Desktop is installed as a package (MSIX), as
// it is on Windows since 2026, it sees its own copy of the roaming folder, and
// the file at the old place is not read.
func claudeDesktopFiles(p Place) []site {
	f := jsonUnder("mcpServers")
	all := p.user(f, p.desktop(), "Claude", "claude_desktop_config.json")
	if p.OS != "windows" {
		return all
	}
	dir := p.env("LOCALAPPDATA")
	if dir == "" {
		dir = p.below("AppData", "Local")
	}
	return append(all, glob(f, dir, "Packages", "Claude_*", "LocalCache", "Roaming", "Claude", "claude_desktop_config.json")...)
}

func claudeCodeFiles(p Place) []site {
	dir := p.env("CLAUDE_CONFIG_DIR")
	if dir == "" {
		dir = p.Home
	}
	return append(p.user(jsonFormat{key: "mcpServers", projects: "projects"}, dir, ".claude.json"),
		p.inProject(jsonUnder("mcpServers"), ".mcp.json")...)
}

func cursorFiles(p Place) []site {
	f := jsonUnder("mcpServers")
	return append(p.user(f, p.below(".cursor"), "mcp.json"), p.inProject(f, ".cursor", "mcp.json")...)
}

// vscodeFiles are those of the default profile, of every other profile, and of
// the two builds that are installed side by side.
func vscodeFiles(p Place) []site {
	f := jsonUnder("servers")
	var all []site
	for _, build := range []string{"Code", "Code - Insiders"} {
		all = append(all, p.user(f, p.desktop(), build, "User", "mcp.json")...)
		all = append(all, glob(f, p.desktop(), build, "User", "profiles", "*", "mcp.json")...)
	}
	return append(all, p.inProject(f, ".vscode", "mcp.json")...)
}

func windsurfFiles(p Place) []site {
	return p.user(jsonUnder("mcpServers"), p.below(".codeium", "windsurf"), "mcp_config.json")
}

func codexFiles(p Place) []site {
	dir := p.env("CODEX_HOME")
	if dir == "" {
		dir = p.below(".codex")
	}
	return append(p.user(tomlFormat{}, dir, "config.toml"), p.inProject(tomlFormat{}, ".codex", "config.toml")...)
}

func geminiFiles(p Place) []site {
	f := jsonUnder("mcpServers")
	return append(p.user(f, p.below(".gemini"), "settings.json"), p.inProject(f, ".gemini", "settings.json")...)
}

// zedFiles: Zed uses ~/.config on macOS too.
func zedFiles(p Place) []site {
	f := jsonUnder("context_servers")
	var user []site
	switch p.OS {
	case "windows":
		user = p.user(f, p.appData(), "Zed", "settings.json")
	case "darwin":
		user = p.user(f, p.below(".config"), "zed", "settings.json")
	default:
		user = p.user(f, p.xdg(), "zed", "settings.json")
	}
	return append(user, p.inProject(f, ".zed", "settings.json")...)
}

// glob returns the user's files that are there, of a pattern below a folder.
func glob(f format, dir string, pattern ...string) []site {
	if dir == "" {
		return nil
	}
	paths, err := filepath.Glob(filepath.Join(append([]string{globQuote(dir)}, pattern...)...))
	if err != nil {
		return nil // a folder that cannot be quoted on Windows
	}
	var all []site
	for _, path := range paths {
		all = append(all, site{path, User, f})
	}
	return all
}

// globQuote makes a path stand for itself in a pattern. Windows has no quoting
// there; its paths seldom have brackets.
func globQuote(path string) string {
	if filepath.Separator == '\\' {
		return path
	}
	var b []byte
	for i := range len(path) {
		switch path[i] {
		case '*', '?', '[', '\\':
			b = append(b, '\\')
		}
		b = append(b, path[i])
	}
	return string(b)
}
