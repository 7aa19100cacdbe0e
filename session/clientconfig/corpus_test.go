package clientconfig

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

const binary = "/usr/local/bin/wiretea"

// corpus returns the files that look like those of real users, each with its
// client: the longest ID that the name begins with.
func corpus(t testing.TB) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("testdata/corpus/*")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	of := map[string]string{}
	for _, path := range paths {
		best := ""
		for _, c := range All() {
			if strings.HasPrefix(filepath.Base(path), c.ID) && len(c.ID) > len(best) {
				best = c.ID
			}
		}
		if best == "" {
			t.Fatalf("%s belongs to no client", path)
		}
		of[path] = best
	}
	return of
}

// parse reads a file's bytes without a disk.
func parse(path string, f format, data []byte) File {
	file := File{Path: path, format: f, data: data}
	file.Servers, file.Err = servers(f, data, User)
	return file
}

// corpusPlaces are where the files of the corpus lie below a home folder, src/shop being
// the project.
var corpusPlaces = map[string][]string{
	"amp.json": {".config/amp/settings.json", "src/shop/.amp/settings.json"}, "claude-code-project.json": {"src/shop/.mcp.json", "src/.mcp.json", ".mcp.json"}, "claude-code.json": {".claude.json"},
	"claude-desktop.json": {".config/Claude/claude_desktop_config.json"}, "claude-desktop-oneline.json": {".config/Claude/claude_desktop_config.json"}, "claude-desktop-windows.json": {".config/Claude/claude_desktop_config.json"},
	"cline.json": {".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json", ".vscode-server/data/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"},
	"codex.toml": {".codex/config.toml"}, "codex-crlf.toml": {".codex/config.toml"}, "codex-project.toml": {"src/shop/.codex/config.toml"},
	"continue.json": {".continue/mcpServers/a.json", "src/shop/.continue/mcpServers/a.json"}, "continue.yaml": {".continue/config.yaml", ".continue/mcpServers/a.yaml", "src/shop/.continue/mcpServers/a.yml"},
	"copilot.json": {".copilot/mcp-config.json"}, "cursor.json": {".cursor/mcp.json", "src/shop/.cursor/mcp.json"}, "gemini.json": {".gemini/settings.json", "src/shop/.gemini/settings.json"}, "goose.yaml": {".config/goose/config.yaml"},
	"junie.json": {".junie/mcp/mcp.json", "src/shop/.junie/mcp/mcp.json"}, "kiro.json": {".kiro/settings/mcp.json", "src/shop/.kiro/settings/mcp.json"}, "lm-studio.json": {".lmstudio/mcp.json"},
	"opencode.jsonc": {".config/opencode/opencode.jsonc", "src/shop/opencode.jsonc"}, "opencode-2.json": {".config/opencode/opencode.json", "src/shop/opencode.json"},
	"roo.json":    {".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json", "src/shop/.roo/mcp.json"},
	"vscode.json": {".config/Code/User/mcp.json", ".config/Code - Insiders/User/profiles/a/mcp.json", ".vscode-server/data/User/mcp.json", "src/shop/.vscode/mcp.json"}, "vscode-settings.json": {".config/Code/User/settings.json", "src/shop/.vscode/settings.json"},
	"vscode.code-workspace": {"src/shop/shop.code-workspace"}, "vscodium.json": {".config/VSCodium/User/mcp.json", ".config/VSCodium/User/profiles/a/mcp.json"}, "windsurf.json": {".codeium/windsurf/mcp_config.json"},
	"zed.json": {".config/zed/settings.json", ".var/app/dev.zed.Zed/config/zed/settings.json", "src/shop/.zed/settings.json"},
}

// TestCorpusPlaces holds that each file of the corpus is found in each of its places, with
// its servers, and that each client has one.
func TestCorpusPlaces(t *testing.T) {
	seen := map[string]bool{}
	for path, client := range corpus(t) {
		seen[client] = true
		text, err := os.ReadFile(path)
		must(t, err)
		want := load(t, client, path)
		if len(want.Servers) == 0 || len(corpusPlaces[filepath.Base(path)]) == 0 {
			t.Errorf("%s: %d servers, places %q", path, len(want.Servers), corpusPlaces[filepath.Base(path)])
		}
		for _, at := range corpusPlaces[filepath.Base(path)] {
			home := t.TempDir()
			putFile(t, filepath.Join(home, filepath.FromSlash(at)), string(text))
			var found []string
			for _, f := range Find(Place{Home: home, Project: filepath.Join(home, "src", "shop"), OS: "linux"}) {
				switch rel, err := filepath.Rel(home, f.Path); {
				case f.Missing():
				case err != nil || filepath.ToSlash(rel) != at || f.Client != client || len(f.Servers) != len(want.Servers) || f.Servers[0].Name != want.Servers[0].Name || f.Servers[0].Command != want.Servers[0].Command:
					t.Errorf("%s at %s: %s of %s, %v, %v", path, at, f.Path, f.Client, f.Servers, f.Err)
				default:
					found = append(found, at)
				}
			}
			if len(found) != 1 {
				t.Errorf("%s at %s is found as %q", path, at, found)
			}
		}
	}
	for _, c := range All() {
		if !seen[c.ID] {
			t.Errorf("the corpus has no file of %s", c.ID)
		}
	}
}

func load(t testing.TB, client, path string) File {
	t.Helper()
	f := Read(client, path)
	for name, format := range map[string]format{
		"continue.yaml": named("continue"), "vscode-settings.json": named("vsSettings"), "vscode.code-workspace": jsonFormat{paths: []string{"settings/mcp/servers"}},
	} {
		if filepath.Base(path) == name {
			f = File{Client: client, Path: path, Level: User, format: format}.read()
		}
	}
	if f.Err != nil {
		t.Fatal(f.Err)
	}
	return f
}

// golden compares with testdata/wrapped.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "wrapped", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs:\n%s", path, unified(path, want, []byte(got)))
	}
}

// TestCorpus wraps each server of each file by itself and holds what is listed,
// the diff, and that unwrapping gives the same bytes again.
func TestCorpus(t *testing.T) {
	for path, client := range corpus(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			f := load(t, client, path)
			var out strings.Builder
			for _, s := range f.Servers {
				fmt.Fprintf(&out, "server %q %s %q: %q %q env %q cwd %q url %q\n", s.Name, s.Level, s.Folder, s.Command, s.Args, s.EnvNames, s.Cwd, s.URL)
				c, err := f.Wrap(s, binary)
				if err != nil {
					fmt.Fprintf(&out, "refused: %v\n", err)
					continue
				}
				out.WriteString(c.Diff())
				roundTrip(t, f, s, c)
			}
			text := out.String()
			if strings.Contains(text, "not-to-be-shown") {
				t.Errorf("a secret is shown:\n%s", text)
			}
			golden(t, filepath.Base(path)+".golden", text)
		})
	}
}

// roundTrip holds that a wrapped entry keeps what it says, that everything
// around it stays, that wrapping again changes nothing, and that unwrapping
// gives the bytes back.
func roundTrip(t testing.TB, f File, s Server, c Change) {
	t.Helper()
	w := parse(f.Path, f.format, c.After)
	if w.Err != nil {
		t.Fatalf("the wrapped file cannot be read: %v\n%s", w.Err, c.After)
	}
	i := slices.IndexFunc(f.Servers, func(o Server) bool { return o.Name == s.Name && o.Folder == s.Folder })
	ws := w.Servers[i]
	if !ws.Wrapped || ws.Tee != binary || ws.Command != s.Command || !slices.Equal(ws.Args, s.Args) || ws.URL != s.URL || !slices.Equal(ws.fields, s.fields) || ws.Cwd != s.Cwd || !slices.Equal(ws.env, s.env) {
		t.Fatalf("the wrapped entry is %+v, was %+v", ws, s)
	}
	args := ws.args.texts()
	if want := []string{"tee", "--name", s.Name, "--", s.Command}; s.Command != "" && !slices.Equal(args[:5], want) || s.URL != "" && (!slices.Equal(args[:3], want[:3]) || args[len(args)-1] != s.URL) {
		t.Fatalf("args are %q", args)
	}
	// TOML's tables have their ends at their last value, and keys follow in any order.
	if !bytes.Equal(c.After[:ws.From], f.data[:s.From]) || !bytes.HasSuffix(f.data[s.From:], c.After[ws.To:]) {
		t.Fatalf("bytes outside the entry have changed:\n%s", c.Diff())
	}
	again, err := w.Wrap(ws, binary)
	if err != nil || !again.None() {
		t.Fatalf("wrapping again: %v\n%s", err, again.Diff())
	}
	back, err := w.Unwrap(ws)
	if err != nil || !bytes.Equal(back.After, f.data) {
		t.Fatalf("unwrapping: %v\n%s", err, unified(f.Path, f.data, back.After))
	}
}

// TestSeveral wraps all servers of a file, and unwraps them in the same order,
// the opposite one, and at once.
func TestSeveral(t *testing.T) {
	for path, client := range corpus(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			f := load(t, client, path)
			all, names := f, []Server{}
			for _, s := range f.Servers {
				c, err := all.Wrap(s, binary)
				if err != nil {
					continue
				}
				all, names = parse(path, f.format, c.After), append(names, s)
			}
			at := all
			for _, s := range names {
				at = unwrapOne(t, at, s)
			}
			wantBytes(t, f, at)
			at = all
			for _, s := range slices.Backward(names) {
				at = unwrapOne(t, at, s)
			}
			wantBytes(t, f, at)
			c, err := all.Unwrap(append(names, names...)...)
			if err != nil {
				t.Fatal(err)
			}
			wantBytes(t, f, parse(path, f.format, c.After))
		})
	}
}

func unwrapOne(t *testing.T, f File, s Server) File {
	t.Helper()
	c, err := f.Unwrap(s)
	if err != nil {
		t.Fatal(err)
	}
	return parse(f.Path, f.format, c.After)
}

func wantBytes(t *testing.T, want, got File) {
	t.Helper()
	if !bytes.Equal(got.data, want.data) {
		t.Errorf("not as it was:\n%s", unified(want.Path, want.data, got.data))
	}
}

func TestOff(t *testing.T) {
	for _, c := range []struct {
		text string
		f    format
		off  bool
	}{
		{`{"mcpServers":{"x":{"command":"c","disabled":true}}}`, jsonFormat{paths: []string{"mcpServers"}}, true},
		{`{"mcpServers":{"x":{"command":"c","disabled":false}}}`, jsonFormat{paths: []string{"mcpServers"}}, false},
		{`{"mcpServers":{"x":{"command":"c","disabled":"true"}}}`, jsonFormat{paths: []string{"mcpServers"}}, false},
		{`{"mcpServers":{"x":{"command":"c","enabled":false}}}`, jsonFormat{paths: []string{"mcpServers"}}, true},
		{`{"mcpServers":{"x":{"command":"c","enabled":null}}}`, jsonFormat{paths: []string{"mcpServers"}}, false},
		{"[mcp_servers.x]\ncommand = 'c'\nenabled = false\n", tomlFormat{}, true},
		{"[mcp_servers.x]\ncommand = 'c'\nenabled = true\n", tomlFormat{}, false},
		{"[mcp_servers.x]\ncommand = 'c'\n", tomlFormat{}, false},
	} {
		all, err := c.f.entries([]byte(c.text))
		if err != nil || len(all) != 1 || all[0].Off != c.off {
			t.Errorf("%s: %v %+v, want off %v", c.text, err, all, c.off)
		}
	}
}
