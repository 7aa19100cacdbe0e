package clientconfig

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const plainConfig = "{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"a\", \"args\": [\"1\"]},\n    \"b\": {\"command\": \"b\"}\n  }\n}\n"

// home puts a Cursor file into a new home folder and returns both.
func home(t *testing.T, content string) (Place, string) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, ".cursor", "mcp.json")
	putFile(t, path, content)
	return Place{Home: dir, OS: "linux"}, path
}

// cursor finds the file again.
func cursor(t *testing.T, p Place) File {
	t.Helper()
	for _, f := range Find(p) {
		if f.Client == "cursor" {
			return f
		}
	}
	t.Fatal("no file of Cursor")
	return File{}
}

func server(t *testing.T, f File, name string) Server {
	t.Helper()
	for _, s := range f.Servers {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no server %q in %+v", name, f)
	return Server{}
}

func applyWrap(t *testing.T, p Place, name string) {
	t.Helper()
	f := cursor(t, p)
	c, err := f.Wrap(server(t, f, name), binary)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Apply(); err != nil {
		t.Fatal(err)
	}
}

func applyUnwrap(t *testing.T, p Place, name string) {
	t.Helper()
	f := cursor(t, p)
	c, err := f.Unwrap(server(t, f, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Apply(); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestApply(t *testing.T) {
	p, path := home(t, plainConfig)
	applyWrap(t, p, "a")
	applyWrap(t, p, "b")
	if got := content(t, path+BackupSuffix); got != plainConfig {
		t.Errorf("the backup is not the file before the first wrapping:\n%s", got)
	}
	for _, name := range []string{path, path + BackupSuffix} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	applyUnwrap(t, p, "a")
	if _, err := os.Stat(path + BackupSuffix); err != nil {
		t.Errorf("the backup went before the last server was unwrapped: %v", err)
	}
	applyUnwrap(t, p, "b")
	if got := content(t, path); got != plainConfig {
		t.Errorf("not as it was:\n%s", got)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// TestWithoutBackup: the bytes come back from the file alone, and what was
// changed elsewhere in it stays.
func TestWithoutBackup(t *testing.T) {
	p, path := home(t, plainConfig)
	applyWrap(t, p, "b")
	if err := os.Remove(path + BackupSuffix); err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(content(t, path), `["1"]`, `["2"] `, 1)
	if err := os.WriteFile(path, []byte(edited), 0o600); err != nil {
		t.Fatal(err)
	}
	applyUnwrap(t, p, "b")
	if got, want := content(t, path), strings.Replace(plainConfig, `["1"]`, `["2"] `, 1); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestOldBackupIsRenewed(t *testing.T) {
	p, path := home(t, plainConfig)
	if err := os.WriteFile(path+BackupSuffix, []byte("of last year"), 0o600); err != nil {
		t.Fatal(err)
	}
	applyWrap(t, p, "a")
	if got := content(t, path+BackupSuffix); got != plainConfig {
		t.Errorf("got %q", got)
	}
}

// TestKeeps holds that what is said of the backup before is what comes of it: it lies
// beside the file that a link names, and the second wrapping leaves that of the first.
func TestKeeps(t *testing.T) {
	p, path := home(t, plainConfig)
	real := filepath.Join(filepath.Dir(path), "real.json")
	must(t, os.Rename(path, real))
	if err := os.Symlink("real.json", path); err != nil {
		t.Skip(err)
	}
	for name, want := range map[string]bool{"a": true, "b": false} {
		t.Run(name, func(t *testing.T) {
			if name == "b" {
				applyWrap(t, p, "a")
			}
			f := cursor(t, p)
			c, err := f.Wrap(server(t, f, name), binary)
			must(t, err)
			kept, now := c.Keeps()
			if filepath.Base(kept) != "real.json"+BackupSuffix || now != want {
				t.Errorf("it keeps %s, as it is now: %t", kept, now)
			}
			must(t, c.Apply())
			if got := content(t, kept) == string(f.data); got != want || c.Backup() != kept {
				t.Errorf("the backup %q is the file before: %t", c.Backup(), got)
			}
			for _, s := range cursor(t, p).Servers {
				applyUnwrap(t, p, s.Name)
			}
		})
	}
}

func TestSymlinkStays(t *testing.T) {
	p, path := home(t, plainConfig)
	real := filepath.Join(t.TempDir(), "dotfiles.json")
	if err := os.Rename(path, real); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, path); err != nil {
		t.Skip(err)
	}
	applyWrap(t, p, "a")
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info.Mode(), err)
	}
	if got := content(t, real); !strings.Contains(got, binary) {
		t.Errorf("what it names was not changed:\n%s", got)
	}
	applyUnwrap(t, p, "a")
	if got := content(t, real); got != plainConfig {
		t.Errorf("not as it was:\n%s", got)
	}
}

// TestRefusedFiles: nothing is written, and nothing is left behind.
func TestRefusedFiles(t *testing.T) {
	for name, test := range map[string]struct {
		harm func(t *testing.T, path string)
		want error // nil = any
	}{
		"read-only": {func(t *testing.T, path string) { must(t, os.Chmod(path, 0o400)) }, ErrReadOnly},
		"changed meanwhile": {func(t *testing.T, path string) {
			must(t, os.WriteFile(path, []byte(plainConfig+"\n"), 0o600))
		}, ErrChanged},
		"hard link": {func(t *testing.T, path string) {
			if err := os.Link(path, filepath.Join(t.TempDir(), "link")); err != nil {
				t.Skip(err)
			}
		}, nil},
		"removed meanwhile": {func(t *testing.T, path string) { must(t, os.Remove(path)) }, fs.ErrNotExist},
	} {
		t.Run(name, func(t *testing.T) {
			p, path := home(t, plainConfig)
			f := cursor(t, p)
			c, err := f.Wrap(server(t, f, "a"), binary)
			must(t, err)
			test.harm(t, path)
			before, _ := os.ReadFile(path)
			if refused := c.Refused(); (refused == nil) != (name == "changed meanwhile") {
				t.Errorf("refused beforehand: %v", refused)
			}
			err = c.Apply()
			if err == nil || test.want != nil && !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
				t.Errorf("written anyway:\n%s", after)
			}
			left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".mcp*"))
			if len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestUnreadable(t *testing.T) {
	for name, test := range map[string]struct{ content, want string }{
		"cut off":             {`{"mcpServers": {"a": {"command": "a"`, "line 1, column 37: the file ends too early"},
		"no comma":            {`{"mcpServers": {"a": {} "b": {}}}`, "line 1, column 25: a comma is missing"},
		"no colon":            {`{"mcpServers" {}}`, "line 1, column 15: a colon is missing"},
		"bad escape":          {`{"\x": 1}`, "line 1, column 2: this string is not JSON"},
		"bare word":           {`{"a": yes}`, "line 1, column 7: this is not JSON"},
		"text behind":         {`{} {}`, "line 1, column 4: there is more behind the end"},
		"no object":           {`[]`, "it is not a JSON object"},
		"no servers object":   {`{"mcpServers": []}`, `"mcpServers" is not an object`},
		"servers twice":       {`{"mcpServers": {}, "mcpServers": {}}`, `the key "mcpServers" is there twice`},
		"twice by an escape":  {`{"mcpServers": {}, "mcp\u0053ervers": {}}`, `the key "mcpServers" is there twice`},
		"server twice":        {`{"mcpServers": {"a": {}, "a": {}}}`, `the server "a" is there twice`},
		"not UTF-8":           {"{\n \"\xff\": 1}", "line 2, column 3: this is not UTF-8"},
		"UTF-16":              {"\xff\xfe{\x00}\x00", "line 1, column 1: this is not UTF-8"},
		"comment without end": {"{} /* x", "line 1, column 4: this comment has no end"},
		"single quotes":       {`{'mcpServers': {}}`, "line 1, column 2: a key in quotes is missing"},
		"deep":                {strings.Repeat("[", 1000), "line 1, column 258: this is nested too deep"},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := home(t, test.content)
			f := cursor(t, p)
			if f.Err == nil || f.Err.Error() != test.want {
				t.Fatalf("got %v, want %s", f.Err, test.want)
			}
			if _, err := f.Wrap(Server{Name: "a"}, binary); err == nil {
				t.Error("it was wrapped")
			}
		})
	}
}

func TestNothingInIt(t *testing.T) {
	for _, content := range []string{"", " \r\n", bom, "// nothing yet\n", "{}", `{"mcpServers": {}}`, `{"mcpServers": null}`} {
		p, _ := home(t, content)
		f := cursor(t, p)
		if f.Err != nil || len(f.Servers) != 0 {
			t.Errorf("%q: %v, %v", content, f.Servers, f.Err)
		}
		if _, err := f.Wrap(Server{Name: "a"}, binary); !errors.Is(err, ErrNoServer) {
			t.Errorf("%q: %v", content, err)
		}
	}
	f := cursor(t, Place{Home: t.TempDir()})
	if !f.Missing() {
		t.Errorf("missing: %v", f.Err)
	}
	if _, err := f.Wrap(Server{Name: "a"}, binary); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
}

func TestRefusedEntries(t *testing.T) {
	for entry, want := range map[string]string{
		`"x"`:                              "the entry is not an object",
		`{}`:                               "it has no command",
		`{"command": 1}`:                   "its command is not a string",
		`{"command": "a", "args": "x"}`:    "its args are not a list of strings",
		`{"command": "a", "args": [1]}`:    "its args are not a list of strings",
		`{"command": "a", "args": null}`:   "its args are not a list of strings",
		`{"command": "a", "command": "b"}`: `the key "command" is there twice`,
		`{"command": "a", "args": [], "\u0061rgs": []}`:                        `the key "args" is there twice`,
		`{"command": "wiretea", "args": ["tee"]}`:                              "it runs wiretea tee without a command",
		`{"command": "wiretea", "args": ["tee", "--"]}`:                        "it runs wiretea tee without a command",
		`{"command": "wiretea", "args": ["tee", "--name", "--", "--"]}`:        "it runs wiretea tee without a command",
		`{"command": "/x/wiretea.exe", "args": ["tee", "--record", "x", "y"]}`: "it runs wiretea tee without a command",
	} {
		f := parse("x", jsonFormat{paths: []string{"mcpServers"}}, []byte(`{"mcpServers": {"s": `+entry+`}}`))
		must(t, f.Err)
		if got := f.Servers[0].Refused; got != want {
			t.Errorf("%s: %q, want %q", entry, got, want)
		}
		if _, err := f.Wrap(f.Servers[0], binary); err == nil {
			t.Errorf("%s was wrapped", entry)
		}
		if _, err := f.Unwrap(f.Servers[0]); err == nil {
			t.Errorf("%s was unwrapped", entry)
		}
	}
}

// TestUnwrapByHand unwraps what people, formatters and clients made of entries.
func TestUnwrapByHand(t *testing.T) {
	for _, test := range []struct{ from, to, refused string }{
		{from: `{"command": "wiretea", "args": ["tee", "--record", "f", "--", "npx", "-y"]}`, to: `{"command": "npx", "args": ["-y"]}`},
		{from: `{"command": "C:\\x\\Wiretea.EXE", "args": ["tee", "--", "npx"]}`, to: `{"command": "npx", "args": []}`},
		{from: `{"command": "w/wiretea", "args": ["tee", "--", "npx",]}`, to: `{"command": "npx", "args": []}`},
		{from: "{\"args\": [\n\"tee\",\n\"--\",\n\"npx\"\n], \"command\": \"wiretea\"}", to: "{\"args\": [\n\n], \"command\": \"npx\"}"},
		{from: "{\"command\": \"wiretea\",\n\"args\": [\n\"tee\",\n\"--\",\n\"npx\"\n]}", to: `{"command": "npx"}`},
		{from: `{"command": "wiretea", "args": ["tee", "--name", "--", "--", "--", "--"]}`, to: `{"command": "--", "args": ["--"]}`},
		{from: `{"command": "wiretea", "args": ["tee", /* mine */ "--", "npx"]}`, refused: "comment"},
		{from: `{"command": "wiretea", "args": ["tee", "--name", "x", "--no-control", "npx", "-y", "--", "z"]}`, to: `{"command": "npx", "args": ["-y", "--", "z"]}`},
		{from: `{"command": ["wiretea", "tee", "npx", "-y"]}`, to: `{"command": ["npx", "-y"]}`},
		{from: `{"command": "npx", "args": ["tee", "--", "x"]}`, to: `{"command": "npx", "args": ["tee", "--", "x"]}`},
	} {
		f := parse("x", jsonFormat{paths: []string{"mcpServers"}}, []byte(`{"mcpServers": {"s": `+test.from+`}}`))
		must(t, f.Err)
		c, err := f.Unwrap(f.Servers[0])
		switch {
		case test.refused != "":
			if err == nil || !strings.Contains(err.Error(), test.refused) {
				t.Errorf("%s: %v", test.from, err)
			}
		case err != nil:
			t.Errorf("%s: %v", test.from, err)
		case string(c.After) != `{"mcpServers": {"s": `+test.to+`}}`:
			t.Errorf("%s became %s", test.from, c.After)
		}
	}
}

// TestBinary: what could not be known again is not put in front; a wiretea that
// was moved is.
func TestBinary(t *testing.T) {
	f := parse("x", jsonFormat{paths: []string{"mcpServers"}}, []byte(plainConfig))
	for _, bad := range []string{"wiretea", "./wiretea", "/usr/bin/tea", ""} {
		if _, err := f.Wrap(f.Servers[0], bad); !errors.Is(err, ErrBinary) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	c, err := f.Wrap(f.Servers[0], binary)
	must(t, err)
	f = parse("x", f.format, c.After)
	c, err = f.Wrap(f.Servers[0], "/opt/wiretea")
	must(t, err)
	if want := strings.Replace(string(f.data), binary, "/opt/wiretea", 1); string(c.After) != want {
		t.Errorf("got\n%s", c.After)
	}
}

// TestServerNamedLikeASecret: what an edit changes is shown whatever it is called.
func TestServerNamedLikeASecret(t *testing.T) {
	f := parse("x", jsonFormat{paths: []string{"mcpServers"}}, []byte(`{"mcpServers": {"env": {"command": "a", "env": {"K": "hidden"}}}}`))
	c, err := f.Wrap(f.Servers[0], binary)
	must(t, err)
	if d := c.Diff(); !strings.Contains(d, `+{"mcpServers": {"env": {"command": "/usr/local/bin/wiretea"`) || strings.Contains(d, "hidden") {
		t.Errorf("got\n%s", d)
	}
}

// TestHugeFiles: what a stranger could put into a project is neither a hang nor
// a crash.
func TestHugeFiles(t *testing.T) {
	const n = 1 << 18
	members := strings.Repeat(`"a":{},`, n/8)
	for name, test := range map[string]struct {
		format
		content string
	}{
		"brackets":        {jsonFormat{paths: []string{"s"}}, strings.Repeat("[", n)},
		"objects":         {jsonFormat{paths: []string{"s"}}, strings.Repeat(`{"s":`, n)},
		"equal keys":      {jsonFormat{paths: []string{"s"}}, `{"s":{` + members + `}}`},
		"quotes":          {jsonFormat{paths: []string{"s"}}, `{"s":"` + strings.Repeat(`\"`, n)},
		"comments":        {jsonFormat{paths: []string{"s"}}, strings.Repeat("/**/", n)},
		"TOML brackets":   {tomlFormat{}, "a=" + strings.Repeat("[", n)},
		"TOML inline":     {tomlFormat{}, "a=" + strings.Repeat("{a=", n)},
		"TOML dots":       {tomlFormat{}, strings.Repeat("a.", n) + "a=1"},
		"TOML header":     {tomlFormat{}, "[" + strings.Repeat("a.", n) + "a]"},
		"TOML quotes":     {tomlFormat{}, `a="` + strings.Repeat(`\"`, n)},
		"TOML equal keys": {tomlFormat{}, strings.Repeat("a=1\n", n)},
	} {
		t.Run(name, func(t *testing.T) {
			f := parse("x", test.format, []byte(test.content))
			if len(f.Servers) != 0 {
				t.Errorf("%d servers", len(f.Servers))
			}
		})
	}
}
