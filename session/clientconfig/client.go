package clientconfig

import (
	"cmp"
	_ "embed"
	"path/filepath"
	"slices"
	"strings"

	"wiretea/session/lazy"
)

// A Client is a program that starts MCP servers named in its configuration.
type Client struct {
	ID      string // ID is what people type: "claude-desktop".
	Title   string // Title is its name: "Claude Desktop".
	Restart string // Restart says how it is made to read its file again.

	format format
	places []location
}

// A location is where a client keeps a file.
type location struct {
	folder  string // folder is the name of a folder of clients.txt.
	path    string // path is below folder; every file that matches where it has a star.
	format  format // format is the file's own; nil = the client's.
	parents bool   // parents: the client reads the files of the folders above too.
}

// Other is the ID of a client that is not known here: its file is named by the user.
const Other = "file"

//go:embed clients.txt
var clientsText string

// A registry holds the parsed clients.txt.
type registry struct {
	folders map[string][]string // folders are the places of each, in the order in which they are tried.
	formats map[string]format
	clients []Client // clients are all; the last one is Other.
}

var clients = lazy.Value[*registry]{New: func() *registry {
	t := &registry{folders: map[string][]string{}, formats: map[string]format{}}
	var c *Client
	for line := range lazy.Lines(clientsText) {
		key, rest, _ := strings.Cut(strings.TrimLeft(line, " "), " ")
		name, value, _ := strings.Cut(rest, " ")
		switch key {
		case "folder":
			t.folders[name] = strings.Split(value, " | ")
		case "format":
			t.formats[name] = newFormat(strings.Fields(value))
		case "client":
			t.clients = append(t.clients, Client{ID: name, Title: value})
			c = &t.clients[len(t.clients)-1]
		case "in":
			c.format = t.formats[rest]
		case "restart":
			c.Restart = rest
		case "file", "parents":
			place, as, _ := strings.Cut(rest, " as ")
			folder, path, _ := strings.Cut(place, "/")
			c.places = append(c.places, location{folder: folder, path: filepath.FromSlash(path), format: t.formats[as], parents: key == "parents"})
		}
	}
	return t
}}

// newFormat returns a format: its syntax and keys.
func newFormat(words []string) format {
	switch keys := words[1:]; words[0] {
	case "toml":
		return tomlFormat{}
	case "yaml":
		return yamlFormat{key: keys[0], command: keys[1], env: keys[2], url: keys[3]}
	case "projects":
		return jsonFormat{paths: keys, projects: "projects"}
	default:
		return jsonFormat{paths: keys, jsonc: words[0] == "jsonc"}
	}
}

// All returns the known clients, in the order in which they are listed.
func All() []Client {
	all := clients.Get().clients
	return slices.Clip(all[:len(all)-1])
}

// Lookup returns the client with an ID, which may be Other.
func Lookup(id string) (Client, bool) {
	for _, c := range clients.Get().clients {
		if c.ID == id {
			return c, true
		}
	}
	return Client{}, false
}

// files returns the client's files, none of them read.
func (c Client) files(p Place) []File {
	var all []File
	add := func(l location, p Place, level Level, some bool) {
		for _, path := range l.paths(p) {
			all = append(all, File{Client: c.ID, Path: path, Level: level, format: cmp.Or(l.format, c.format), some: some})
		}
	}
	for _, l := range c.places {
		switch {
		case l.folder != "project":
			add(l, p, User, l.format != nil)
		// What lies in the home folder is the user's: that folder is not a project.
		case p.Project == "" || p.Home != "" && filepath.Clean(p.Project) == filepath.Clean(p.Home):
		default:
			add(l, p, Project, l.format != nil)
			for at := p; l.parents && filepath.IsAbs(at.Project) && filepath.Dir(filepath.Dir(at.Project)) != filepath.Dir(at.Project); {
				at.Project = filepath.Dir(at.Project)
				add(l, at, Project, true)
			}
		}
	}
	return all
}

func (l location) paths(p Place) []string {
	folder := p.path(l.folder)
	switch {
	case folder == "":
		return nil
	case !strings.Contains(l.path, "*"):
		return []string{filepath.Join(folder, l.path)}
	}
	// The pattern is bad only for a folder that cannot be quoted on Windows.
	paths, _ := filepath.Glob(filepath.Join(globQuote(folder), l.path))
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

// path returns what stands for a place of clients.txt: a folder's name or a variable, and what
// is below it; empty where there is none.
func (p Place) path(place string) string {
	name, below, _ := strings.Cut(place, "/")
	folder := ""
	switch {
	case name == "home":
		folder = p.Home
	case name == "project":
		folder = p.Project
	case name[0] == '$':
		// Programs ignore an XDG folder that is not absolute.
		if folder = p.env(name[1:]); name == "$XDG_CONFIG_HOME" && !filepath.IsAbs(folder) {
			folder = ""
		}
	default:
		folder = p.first(clients.Get().folders[name])
	}
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, filepath.FromSlash(below))
}

// first returns the first of a folder's places that counts.
func (p Place) first(places []string) string {
	system := p.OS
	if system != "darwin" && system != "windows" {
		system = "linux"
	}
	for _, place := range places {
		if on, there, ok := strings.Cut(place, ":"); ok && on != system {
			continue
		} else if ok {
			place = there
		}
		if path := p.path(place); path != "" || place[0] != '$' {
			return path
		}
	}
	return ""
}

// globQuote makes a path stand for itself in a pattern. Windows has no quoting
// there; its paths seldom have brackets.
func globQuote(path string) string {
	if filepath.Separator == '\\' {
		return path
	}
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(path)
}
