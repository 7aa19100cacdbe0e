package clientconfig

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPlaces(t *testing.T) {
	projectFiles := []string{
		"claude-code project p/.mcp.json",
		"cursor project p/.cursor/mcp.json",
		"vscode project p/.vscode/mcp.json",
		"codex project p/.codex/config.toml",
		"gemini project p/.gemini/settings.json",
		"zed project p/.zed/settings.json",
	}
	everywhere := []string{
		"claude-code user h/.claude.json",
		"cursor user h/.cursor/mcp.json",
		"windsurf user h/.codeium/windsurf/mcp_config.json",
		"codex user h/.codex/config.toml",
		"gemini user h/.gemini/settings.json",
	}
	electron := func(dir string) []string {
		return []string{"claude-desktop user " + dir + "/Claude/claude_desktop_config.json", "vscode user " + dir + "/Code/User/mcp.json",
			"vscode user " + dir + "/Code - Insiders/User/mcp.json"}
	}
	for _, test := range []struct {
		name string
		Place
		env  map[string]string
		want [][]string
	}{
		{"linux", Place{Home: "h", Project: "p", OS: "linux"}, nil,
			[][]string{projectFiles, everywhere, electron("h/.config"), {"zed user h/.config/zed/settings.json"}}},
		{"xdg", Place{Home: "h", Project: "p", OS: "linux"}, map[string]string{"XDG_CONFIG_HOME": "/x"},
			[][]string{projectFiles, everywhere, electron("/x"), {"zed user /x/zed/settings.json"}}},
		{"macos", Place{Home: "h", Project: "p", OS: "darwin"}, map[string]string{"XDG_CONFIG_HOME": "/x"},
			[][]string{projectFiles, everywhere, electron("h/Library/Application Support"), {"zed user h/.config/zed/settings.json"}}},
		{"windows", Place{Home: "h", Project: "p", OS: "windows"}, nil,
			[][]string{projectFiles, everywhere, electron("h/AppData/Roaming"), {"zed user h/AppData/Roaming/Zed/settings.json"}}},
		{"appdata", Place{Home: "h", Project: "p", OS: "windows"}, map[string]string{"APPDATA": "d"},
			[][]string{projectFiles, everywhere, electron("d"), {"zed user d/Zed/settings.json"}}},
		{"home is not a project", Place{Home: "h", Project: "h/", OS: "linux"}, nil,
			[][]string{everywhere, electron("h/.config"), {"zed user h/.config/zed/settings.json"}}},
		{"moved", Place{Project: "p", OS: "linux"}, map[string]string{"CODEX_HOME": "c", "CLAUDE_CONFIG_DIR": "d"},
			[][]string{projectFiles, {"codex user c/config.toml", "claude-code user d/.claude.json"}}},
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
	if f := Read("emacs", "x"); f.Err == nil {
		t.Error("emacs can be read")
	}
}
