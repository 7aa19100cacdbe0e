package clientconfig

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wiretea/session/lazy"
)

func TestPlaces(t *testing.T) {
	projectFiles := []string{
		"claude-code project p/.mcp.json",
		"cursor project p/.cursor/mcp.json",
		"vscode project p/.vscode/mcp.json",
		"codex project p/.codex/config.toml",
		"gemini project p/.gemini/settings.json",
		"zed project p/.zed/settings.json",
		"roo project p/.roo/mcp.json",
		"kiro project p/.kiro/settings/mcp.json",
		"junie project p/.junie/mcp/mcp.json",
	}
	everywhere := []string{
		"lm-studio user h/.lmstudio/mcp.json",
		"kiro user h/.kiro/settings/mcp.json",
		"junie user h/.junie/mcp/mcp.json",
		"copilot user h/.copilot/mcp-config.json",
		"claude-code user h/.claude.json",
		"cursor user h/.cursor/mcp.json",
		"windsurf user h/.codeium/windsurf/mcp_config.json",
		"codex user h/.codex/config.toml",
		"gemini user h/.gemini/settings.json",
	}
	code := func(dir string) []string {
		return []string{"vscode user " + dir + "/mcp.json", "cline user " + dir + "/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
			"roo user " + dir + "/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"}
	}
	everywhere = slices.Concat(everywhere, code("h/.vscode-server/data/User"), code("h/.vscode-server-insiders/data/User"))
	electron := func(dir string) []string {
		return slices.Concat([]string{"claude-desktop user " + dir + "/Claude/claude_desktop_config.json", "vscodium user " + dir + "/VSCodium/User/mcp.json"},
			code(dir+"/Code/User"), code(dir+"/Code - Insiders/User"))
	}
	for _, test := range []struct {
		name string
		Place
		env  map[string]string
		want [][]string
	}{
		{"linux", Place{Home: "h", Project: "p", OS: "linux"}, nil,
			[][]string{projectFiles, everywhere, electron("h/.config"), {"zed user h/.config/zed/settings.json", "goose user h/.config/goose/config.yaml"}}},
		{"xdg", Place{Home: "h", Project: "p", OS: "linux"}, map[string]string{"XDG_CONFIG_HOME": "/x"},
			[][]string{projectFiles, everywhere, electron("/x"), {"zed user /x/zed/settings.json", "goose user /x/goose/config.yaml"}}},
		{"macos", Place{Home: "h", Project: "p", OS: "darwin"}, map[string]string{"XDG_CONFIG_HOME": "/x"},
			[][]string{projectFiles, everywhere, electron("h/Library/Application Support"), {"zed user h/.config/zed/settings.json", "goose user h/.config/goose/config.yaml"}}},
		{"windows", Place{Home: "h", Project: "p", OS: "windows"}, nil,
			[][]string{projectFiles, everywhere, electron("h/AppData/Roaming"), {"zed user h/AppData/Roaming/Zed/settings.json", "goose user h/AppData/Roaming/Block/goose/config/config.yaml"}}},
		{"appdata", Place{Home: "h", Project: "p", OS: "windows"}, map[string]string{"APPDATA": "d"},
			[][]string{projectFiles, everywhere, electron("d"), {"zed user d/Zed/settings.json", "goose user d/Block/goose/config/config.yaml"}}},
		{"home is not a project", Place{Home: "h", Project: "h/", OS: "linux"}, nil,
			[][]string{everywhere, electron("h/.config"), {"zed user h/.config/zed/settings.json", "goose user h/.config/goose/config.yaml"}}},
		{"moved", Place{Project: "p", OS: "linux"}, map[string]string{"CODEX_HOME": "c", "CLAUDE_CONFIG_DIR": "d", "COPILOT_HOME": "e"},
			[][]string{projectFiles, {"copilot user e/mcp-config.json", "codex user c/config.toml", "claude-code user d/.claude.json"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.Getenv = func(name string) string { return test.env[name] }
			var got []string
			for _, f := range Find(test.Place) {
				if !f.Missing() {
					t.Errorf("%s: %v", f.Path, f.Err)
				}
				got = append(got, f.Client+" "+string(f.Level)+" "+filepath.ToSlash(f.Path))
			}
			want := slices.Concat(test.want...)
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// TestPatterns: VS Code keeps a file a profile, and Windows one for a packaged
// Claude Desktop, also below a folder with brackets in its name.
func TestPatterns(t *testing.T) {
	for os, file := range map[string]string{
		"linux":   ".config/Code/User/profiles/-1f2e/mcp.json",
		"windows": "AppData/Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude/claude_desktop_config.json",
	} {
		home := filepath.Join(t.TempDir(), "a[b]")
		path := filepath.Join(home, filepath.FromSlash(file))
		putFile(t, path, `{"servers": {"x": {"command": "x"}}, "mcpServers": {"x": {"command": "x"}}}`)
		found := false
		for _, f := range Find(Place{Home: home, OS: os}) {
			if f.Path == path {
				found = true
				server(t, f, "x")
			}
		}
		if !found {
			t.Errorf("%s was not found", path)
		}
	}
}

// TestSettings: files that are for other settings too are listed where they have servers;
// Claude Code reads those of the folders above, but not of the root.
func TestSettings(t *testing.T) {
	home := t.TempDir()
	project := filepath.Join(home, "src", "shop")
	const entry = `{"x": {"command": "x"}}`
	want := map[string]string{
		"src/shop/.vscode/settings.json":                `{"editor.tabSize": 2, "mcp": {"inputs": [], "servers": ` + entry + `}}`,
		"src/shop/shop.code-workspace":                  `{"folders": [], "settings": {"mcp": {"servers": ` + entry + `}}}`,
		"src/shop/opencode.json":                        `{"mcp": ` + entry + `}`,
		"src/shop/.amp/settings.json":                   `{"amp.mcpServers": ` + entry + `}`,
		"src/shop/.continue/mcpServers/x.json":          `{"mcpServers": ` + entry + `}`,
		"src/.mcp.json":                                 `{"mcpServers": ` + entry + `}`,
		".mcp.json":                                     `{"mcpServers": ` + entry + `}`,
		".config/Code/User/settings.json":               `{"mcp": {"servers": ` + entry + `}}`,
		".config/opencode/opencode.jsonc":               `{"mcp": {"servers": ` + entry + `}}`,
		".config/amp/settings.json":                     `{"amp.mcpServers": ` + entry + `}`,
		".var/app/dev.zed.Zed/config/zed/settings.json": `{"context_servers": ` + entry + `}`,
		".config/Code - Insiders/User/settings.json":    ``,
		"src/shop/other.code-workspace":                 `{"folders": [], "settings": {"mcp": 3}}`,
		"src/shop/.roo/mcp.json":                        `{}`,
		".config/Code/User/profiles/a/mcp.json":         `{"servers": {}}`,
	}
	for path, text := range want {
		putFile(t, filepath.Join(home, filepath.FromSlash(path)), text)
	}
	got := map[string]File{}
	for _, f := range Find(Place{Home: home, Project: project, OS: "linux"}) {
		if rel, err := filepath.Rel(home, f.Path); err == nil && !f.Missing() {
			got[filepath.ToSlash(rel)] = f
		}
	}
	for path, text := range want {
		f, listed := got[path]
		switch servers := strings.Contains(text, entry); {
		case servers && (len(f.Servers) != 1 || f.Servers[0].Command != "x" || (f.Level == Project) != (strings.HasPrefix(path, "src/") || path == ".mcp.json")):
			t.Errorf("%s: %v, %s, %v", path, f.Servers, f.Level, f.Err)
		case !servers && listed != (strings.HasSuffix(path, "/mcp.json")):
			t.Errorf("%s is listed: %t", path, listed)
		}
	}
	if at := "/.mcp.json"; slices.ContainsFunc(Find(Place{Project: project, OS: "linux"}), func(f File) bool { return f.Path == at }) {
		t.Errorf("%s is read", at)
	}
}

func putFile(t *testing.T, path, content string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(content), 0o600))
}

func TestLookup(t *testing.T) {
	for _, c := range All() {
		if got, ok := Lookup(c.ID); !ok || got.Title != c.Title || c.Restart == "" {
			t.Errorf("%s: %v, %v", c.ID, got, ok)
		}
	}
	if _, ok := Lookup("emacs"); ok {
		t.Error("emacs is known")
	}
	path := filepath.Join(t.TempDir(), "x.toml")
	for text, name := range map[string]string{"[mcp_servers.a]\ncommand = 'c'": "x.toml", `{"settings":{"mcp":{"servers":{"a":{"command":"c"}}}}}`: "x.json", `{"mcp":{"a":{"command":["c"]}}}`: "y"} {
		path = filepath.Join(filepath.Dir(path), name)
		putFile(t, path, text)
		if f := Read(Other, path); f.Err != nil || len(f.Servers) != 1 || f.Servers[0].Command != "c" || f.InProject("/p").Servers[0].Level != Project {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if f := Read("emacs", "x"); f.Err == nil {
		t.Error("emacs can be read")
	}
}

// named is a format of clients.txt.
func named(name string) format { return clients.Get().formats[name] }

// TestTable holds that each client has all that it needs, and that what it names exists.
func TestTable(t *testing.T) {
	table := clients.Get()
	for _, c := range table.clients {
		if c.Title == "" || c.Restart == "" || c.format == nil || len(c.places) == 0 && c.ID != Other {
			t.Errorf("%+v", c)
		}
		for _, l := range c.places {
			if l.folder != "home" && l.folder != "project" && table.folders[l.folder] == nil || l.path == "" {
				t.Errorf("%s: no folder %s", c.ID, l.folder)
			}
		}
	}
	if last := table.clients[len(table.clients)-1]; last.ID != Other || len(All()) != len(table.clients)-1 {
		t.Errorf("the last one is %s", last.ID)
	}
	for line := range lazy.Lines(clientsText) {
		key, rest, _ := strings.Cut(strings.TrimLeft(line, " "), " ")
		if !slices.Contains([]string{"folder", "format", "client", "in", "restart", "file", "parents"}, key) {
			t.Errorf("%q is not read", line)
		}
		if _, as, ok := strings.Cut(rest, " as "); ok && key == "file" && table.formats[as] == nil {
			t.Errorf("%s: no format %s", line, as)
		}
	}
}
