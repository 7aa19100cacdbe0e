package inventory

import (
	"net"
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

// TestDetours wraps entries of the user and of a project, and lists them from another
// folder.
func TestDetours(t *testing.T) {
	home, shop := t.TempDir(), t.TempDir()
	place := clientconfig.Place{Home: home, Project: shop, OS: "linux"}
	const text = `{"mcpServers":{"a":{"url":"https://a.example/mcp"},"b":{"command":"b"}}}`
	paths := []string{filepath.Join(home, ".cursor", "mcp.json"), filepath.Join(shop, ".cursor", "mcp.json")}
	for _, path := range paths {
		writeConfig(t, path, text)
		f := clientconfig.Read("cursor", path)
		change, apply, err := WrapPlan(place, f, f.Servers[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := apply(); err != nil || change.None() {
			t.Fatal(err)
		}
	}
	place.Project = ""
	all, err := Detours(place)
	if err != nil || len(all) != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	port, err := proxyPort(place)
	if err != nil || port == 0 {
		t.Fatal(port, err)
	}
	for i, d := range all {
		if d.File != paths[i] || d.Client != "Cursor" || d.Entry != "a" || d.Server != "https://a.example/mcp" || d.Origin != "https://a.example" || d.Port != port {
			t.Errorf("%+v", d)
		}
	}
	if all[0].Name == all[1].Name {
		t.Error("two entries have the same path")
	}
	if info, err := os.Stat(filepath.Dir(proxyStatePath(place))); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder of the state: %v, %v", info, err)
	}
	if info, err := os.Stat(proxyStatePath(place)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the state: %v, %v", info, err)
	}
	f := clientconfig.Read("cursor", paths[1])
	change, err := f.Unwrap(f.Servers...)
	if err != nil {
		t.Fatal(err)
	}
	if err := change.Apply(); err != nil || string(change.After) != text {
		t.Fatalf("unwrapped: %s, %v", change.After, err)
	}
	if all, err = Detours(place); err != nil || len(all) != 1 {
		t.Errorf("after unwrapping: %+v, %v", all, err)
	}
}

// TestPlanProxy holds that entries of one name are labelled with their client, and that
// those of another port are told apart.
func TestPlanProxy(t *testing.T) {
	home := t.TempDir()
	place := clientconfig.Place{Home: home, OS: "linux"}
	if plan, err := PlanProxy(place); err != nil || len(plan.Servers) > 0 {
		t.Fatalf("%+v, %v", plan, err)
	}
	at := func(port, name string) string {
		return `{"mcpServers":{"` + name + `":{"url":"http://127.0.0.1:` + port + `/` + name + `~abcdefghijklmno` + name + `~https:a.example/mcp?key=1"}}}`
	}
	writeConfig(t, filepath.Join(home, ".cursor", "mcp.json"), at("21000", "a"))
	writeConfig(t, filepath.Join(home, ".claude.json"), at("21000", "a"))
	writeConfig(t, filepath.Join(home, ".gemini", "settings.json"), strings.ReplaceAll(at("22000", "b"), "httpUrl", "url"))
	writeConfig(t, proxyStatePath(place), `{"port":21000,"files":[]}`)
	plan, err := PlanProxy(place)
	if err != nil || plan.Port != 21000 || len(plan.Apart) != 1 || plan.Apart[0].Entry != "b" {
		t.Fatalf("%+v, %v", plan, err)
	}
	// Both files have the same URL, which is one server of the proxy.
	if len(plan.Servers) != 1 || plan.Servers[0].Label != "a-claude-code" || plan.Servers[0].URL.String() != "https://a.example/mcp?key=1" {
		t.Errorf("%+v", plan.Servers)
	}
	if err := os.Remove(filepath.Join(home, ".claude.json")); err != nil {
		t.Fatal(err)
	}
	if plan, err = PlanProxy(place); err != nil || plan.Servers[0].Label != "a" {
		t.Errorf("%+v, %v", plan, err)
	}
}

// TestUnserved follows a proxy that starts and ends.
func TestUnserved(t *testing.T) {
	home := t.TempDir()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	writeConfig(t, filepath.Join(home, ".cursor", "mcp.json"),
		`{"mcpServers":{"a":{"url":"http://`+l.Addr().String()+`/a~abcdefghijklmnop~https:a.example/mcp?key=not-to-be-shown"}}}`)
	find := NewFinder(t.TempDir(), clientconfig.Place{Home: home, OS: "linux"})
	look := func() Server {
		t.Helper()
		inv := find.All(t.Context())
		if len(inv.Servers) != 1 {
			t.Fatalf("%+v", inv.Servers)
		}
		return inv.Servers[0]
	}
	served := look()
	if s := served; s.Trouble != "" || !s.Wrapped || s.Port != l.Addr().(*net.TCPAddr).Port || s.URL != "https://a.example/mcp?•••" {
		t.Errorf("served: %+v", s)
	}
	l.Close()
	if s := look(); !strings.Contains(s.Trouble, "nothing listens at "+l.Addr().String()) {
		t.Errorf("not served: %+v", s)
	}
	if served.Trouble != "" {
		t.Error("the first inventory has changed")
	}
}

func TestBrokenState(t *testing.T) {
	place := clientconfig.Place{Home: t.TempDir(), OS: "linux"}
	writeConfig(t, proxyStatePath(place), "{")
	path := filepath.Join(place.Home, ".cursor", "mcp.json")
	writeConfig(t, path, `{"mcpServers":{"a":{"url":"https://a.example"}}}`)
	f := clientconfig.Read("cursor", path)
	if _, _, err := WrapPlan(place, f, f.Servers[0]); err == nil || !strings.Contains(err.Error(), "proxy.json") {
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
	if state, err := readProxyState(place); err != nil || len(state.Files) != 2 {
		t.Errorf("%+v, %v", state, err)
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
