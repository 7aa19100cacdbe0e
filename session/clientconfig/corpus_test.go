package clientconfig

import (
	"bytes"
	"errors"
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

func load(t testing.TB, client, path string) File {
	t.Helper()
	f := Read(client, path)
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
	if !ws.Wrapped || ws.Tee != binary || ws.Command != s.Command || !slices.Equal(ws.Args, s.Args) || ws.Cwd != s.Cwd || !slices.Equal(ws.env, s.env) {
		t.Fatalf("the wrapped entry is %+v, was %+v", ws, s)
	}
	if want := []string{"tee", "--name", s.Name, "--", s.Command}; !slices.Equal(ws.args.texts()[:5], want) {
		t.Fatalf("args are %q", ws.args.texts())
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

func TestURLIsExplained(t *testing.T) {
	f := load(t, "windsurf", "testdata/corpus/windsurf.json")
	if _, err := f.Wrap(f.Servers[1], binary); !errors.Is(err, ErrURL) {
		t.Errorf("got %v", err)
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
