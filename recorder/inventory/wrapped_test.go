package inventory

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wiretea/session/clientconfig"
)

func writeConfig(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestBrokenState(t *testing.T) {
	place := clientconfig.Place{Home: t.TempDir(), OS: "linux"}
	writeConfig(t, wrapStatePath(place), "{")
	path := filepath.Join(place.Home, ".cursor", "mcp.json")
	writeConfig(t, path, `{"mcpServers":{"a":{"url":"https://a.example"}}}`)
	f := clientconfig.Read("cursor", path)
	if err := remember(place, f.InProject(t.TempDir())); err == nil || !strings.Contains(err.Error(), "wrapped.json") {
		t.Errorf("got %v", err)
	}
}

// TestRemembered: a file in which an entry was wrapped is found from everywhere as long as
// it is, with the folder of its project.
func TestRemembered(t *testing.T) {
	home, shop, elsewhere := t.TempDir(), t.TempDir(), t.TempDir()
	place := clientconfig.Place{Home: home, Project: shop, OS: "linux"}
	binary := filepath.Join(elsewhere, "wiretea")
	writeConfig(t, binary, "")
	inProject, other := filepath.Join(shop, ".cursor", "mcp.json"), filepath.Join(elsewhere, "agent.json")
	wrapped := func(client, path, text string) clientconfig.File {
		t.Helper()
		writeConfig(t, path, text)
		f := clientconfig.Read(client, path)
		if path == inProject {
			f = f.InProject(shop)
		}
		c, err := f.Wrap(f.Servers[0], binary)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Apply(); err != nil {
			t.Fatal(err)
		}
		if err := remember(place, f); err != nil {
			t.Fatal(err)
		}
		return clientconfig.Read(client, path)
	}
	wrapped("cursor", inProject, `{"mcpServers":{"a":{"command":"a","args":["${workspaceFolder}"]}}}`)
	f := wrapped(clientconfig.Other, other, `{"servers":{"b":{"command":"b"}}}`)
	wrapped("cursor", filepath.Join(home, ".cursor", "mcp.json"), `{"mcpServers":{"c":{"command":"c"}}}`)

	place.Project = t.TempDir()
	if state, err := readWrapState(place); err != nil || len(state.Files) != 2 {
		t.Errorf("%+v, %v", state, err)
	}
	for path, mode := range map[string]os.FileMode{filepath.Dir(wrapStatePath(place)): 0o700, wrapStatePath(place): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	found := func(path string) *clientconfig.File {
		for _, f := range Find(place) {
			if f.Path == path {
				return &f
			}
		}
		return nil
	}
	for _, path := range []string{inProject, other} {
		if f := found(path); f == nil || f.Level != clientconfig.Project || f.Servers[0].Level != clientconfig.Project {
			t.Errorf("%s: %+v", path, f)
		}
	}
	if l, err := found(inProject).Launch(found(inProject).Servers[0], place); err != nil || l.Argv[1] != shop || l.Cwd != shop {
		t.Errorf("%+v, %v", l, err)
	}
	back, err := f.Unwrap(f.Servers...)
	if err != nil {
		t.Fatal(err)
	}
	if err := back.Apply(); err != nil || found(other) != nil {
		t.Errorf("after unwrapping: %v, %v", err, found(other))
	}
}

func TestWindowsNote(t *testing.T) {
	for _, c := range []struct {
		distro, path string
		warns        bool
	}{
		{"Ubuntu", "/mnt/c/Users/a/AppData/Roaming/Claude/claude_desktop_config.json", true},
		{"Ubuntu", "/mnt/wsl/a.json", false}, {"Ubuntu", "/home/a/.cursor/mcp.json", false}, {"", "/mnt/c/a.json", false},
	} {
		t.Setenv("WSL_DISTRO_NAME", c.distro)
		if got := WindowsNote(c.path); (got != "") != c.warns {
			t.Errorf("%v: %q", c, got)
		}
	}
}
