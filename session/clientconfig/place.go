package clientconfig

import (
	"cmp"
	"path/filepath"
	"strings"
)

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
