//go:build unix

package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"wiretea/ui/cli/term"
)

// hostileFiles are files that somebody else may have written, by their names, with a text
// in the place of each EVIL and many brackets in that of DEEP, and the commands that read them.
var hostileFiles = []struct{ name, text, args string }{
	{"policy.toml", "default = EVIL\n", "policy FILE"},
	{"policy.toml", "on_error = EVIL\n", "policy FILE"},
	{"policy.toml", "EVIL = 1\n", "policy FILE"},
	{"policy.toml", "[[rule]]\nEVIL = EVIL\n", "policy FILE"},
	{"policy.toml", "[[rule]]\nid = EVIL\nfilter = \"\"\naction = \"deny\"\nreason = EVIL\n", "policy FILE"},
	{"policy.toml", "[[rule]]\nid = EVIL\nfilter = EVIL\naction = \"deny\"\n", "policy FILE"},
	{"policy.toml", "[[rule]]\nid = \"a\"\nfilter = \"d:c2s\"\naction = EVIL\n", "policy FILE"},
	{"policy.toml", "[[rule]]\nid = EVIL\nfilter = \"d:c2s\"\naction = \"ask\"\ntimeout = EVIL\non_timeout = EVIL\n", "policy FILE"},
	{"policy.toml", "default = EVIL\n", "tee --policy FILE -- true"},
	{"policy.toml", "[[rule]]\nid = EVIL\nfilter = \"d:c2s\"\naction = \"deny\"\nreason = EVIL\n", "run --plain --no-record --policy FILE --send ping -- wiretea demo --server legacy"},
	{"policy.toml", "DEEP", "policy FILE"},
	{"policy.toml", "a = DEEP", "policy FILE"},
	{"faults.toml", "[faults]\nlist = [EVIL]\n", "run --plain --no-record --faults FILE --send ping -- wiretea demo --server legacy"},
	{"faults.toml", "[faults]\nlist = [\"m:x: delay(2s) EVIL\"]\nEVIL = EVIL\n", "tee --faults FILE -- true"},
	{"faults.toml", "[EVIL]\nseed = EVIL\n", "tee --faults FILE -- true"},
	{"faults.toml", "[faults]\nseed = EVIL\n", "tee --faults FILE -- true"},
	{"a.json", "{\"mcpServers\":{EVIL:{\"command\":EVIL,\"args\":[EVIL],\"env\":{EVIL:EVIL},\"cwd\":EVIL}}}", "wrap --file FILE x"},
	{"a.json", "{\"mcpServers\":{EVIL:{\"url\":EVIL}, EVIL:3}}", "wrap --file FILE x"},
	{"a.json", "DEEP", "wrap --file FILE x"},
	{"a.toml", "[mcp_servers.EVIL]\ncommand = EVIL\nargs = [EVIL]\n", "wrap --file FILE x"},
	{"a.yaml", "mcpServers:\n- name: EVIL\n  command: EVIL\n  args: [EVIL]\n", "wrap --file FILE x"},
	{"a.yaml", "mcpServers: EVIL\nEVIL: [\n", "wrap --file FILE x"},
	{"home/.cursor/mcp.json", "{\"mcpServers\":{EVIL:{\"command\":EVIL,\"args\":[EVIL],\"env\":{EVIL:EVIL}}}}", "clients"},
	{"home/.config/goose/config.yaml", "extensions:\n  EVIL:\n    cmd: EVIL\n    args: [EVIL]\n", "clients"},
	{"home/.config/goose/config.yaml", "extensions:\n  EVIL: &EVIL\n", "clients"},
	{"home/.config/wiretea/config.toml", "theme = EVIL\nbackground = EVIL\ncolumns = EVIL\nEVIL = EVIL\n[keys]\nEVIL = [EVIL]\n[filters]\nEVIL = EVIL\n[[colours]]\nfilter = EVIL\ncolour = EVIL\n[limits]\ntimeout = EVIL\n", "run --plain --no-record --send ping -- wiretea demo --server legacy"},
	{"home/.config/wiretea/config.toml", "EVIL = [\n", "sessions ls"},
	{"baseline.json", "{EVIL:EVIL,\"findings\":[{\"rule\":EVIL,\"message\":EVIL}]}", "check --baseline FILE -- wiretea demo --server legacy"},
	{"lock.json", "{EVIL:EVIL}", "check --tools-lock FILE -- wiretea demo --server legacy"},
	{"server.sh", "printf '\\033]2;x\\007\\n  hint: PWNED\\nwiretea: PWNED\\n' | tee /dev/stderr; exit 1\n", "drill --timeout 1s -- sh FILE"},
	{"server.sh", "read -r l; printf '%s\\n' '{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-1,\"message\":\"\\u001b]2;x\\u0007\\n  hint: PWNED\\nwiretea: PWNED\"}}'; read -r l\n", "drill --timeout 1s -- sh FILE"},
	{"answers.json", "{EVIL:EVIL}", "run --plain --no-record --elicitation FILE --send ping -- wiretea demo --server legacy"},
}

// TestHostileFiles gives commands files with such a text in each field: what they say of
// them paints nothing, forges no line, and comes to an end.
func TestHostileFiles(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("XDG_CACHE_HOME", "")
	quoted := strings.NewReplacer(`\a`, `\u0007`, `\x1b`, `\u001b`).Replace(strconv.QuoteToASCII(orders + "\n  hint: PWNED"))
	texts := strings.NewReplacer("EVIL", quoted, "DEEP", strings.Repeat("[", 200_000))
	for _, c := range hostileFiles {
		dir := t.TempDir()
		t.Setenv("HOME", filepath.Join(dir, "home"))
		t.Chdir(dir)
		file := filepath.Join(dir, c.name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		writeFile(t, file, texts.Replace(c.text))
		args := strings.Fields(strings.Replace(c.args, "FILE", c.name, 1))
		ctx, cancel := context.WithTimeout(t.Context(), readTime)
		var got outcome
		if slices.Contains(args, "tee") {
			got = wiretea(t, "", args...)
		} else {
			got = inProcess(ctx, args...)
		}
		switch {
		case ctx.Err() != nil:
			t.Errorf("%q with %.80q did not end", args, c.text)
		case got.code < term.ExitFine || strings.Contains(got.err, "internal error") || strings.Contains(got.err, "goroutine "):
			t.Errorf("%q with %.80q: %v", args, c.text, got)
		}
		cancel()
		unpainted(t, args, got.err)
		if strings.HasPrefix(got.err, "wiretea: PWNED") || strings.Contains(got.err, "\nwiretea: PWNED") || strings.Contains(got.err, "\n  hint: PWNED") {
			t.Errorf("%q with %.80q forges a line: %s", args, c.text, got.err)
		}
		if _, err := os.Stat(filepath.Join(dir, "PWNED")); err == nil {
			t.Errorf("%q with %.80q runs what the file says", args, c.text)
		}
	}
}

// TestOddNamedFiles names a pipe, a device and a file of 64 GiB in flags that take a file.
// No process is started, and one line of error says why.
func TestOddNamedFiles(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	dir, err := os.MkdirTemp("", "w") // The name of a socket is short.
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for kind, odd := range oddKinds {
		path := filepath.Join(dir, kind)
		if err := odd.put(path); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{
			{"run", "--plain", "--no-record", "--faults", path, "--", "touch", filepath.Join(dir, "PWNED")}, {"drill", "--faults", path, "--", "touch", filepath.Join(dir, "PWNED")},
			{"proxy", "--faults", path, "http://127.0.0.1:1/"}, {"proxy", "--policy", path, "http://127.0.0.1:1/"}, {"policy", path},
			{"run", "--plain", "--no-record", "--policy", path, "--", "touch", filepath.Join(dir, "PWNED")},
		} {
			ctx, cancel := context.WithTimeout(t.Context(), readTime)
			got := inProcess(ctx, args...)
			if ctx.Err() != nil || got.code != term.ExitUsage || !strings.HasPrefix(got.err, "wiretea: ") || strings.Count(got.err, "\n") > 2 {
				t.Errorf("%q: %v", args, got)
			}
			cancel()
			unpainted(t, args, got.err)
		}
		if _, err := os.Stat(filepath.Join(dir, "PWNED")); err == nil {
			t.Errorf("%s: a command is started", kind)
		}
	}
	// A link to a file is that file.
	writeFile(t, filepath.Join(dir, "real"), "[faults]\nlist = [\"m:x: delay(2s)\"]\n")
	if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if got := inProcess(t.Context(), "run", "--plain", "--no-record", "--faults", filepath.Join(dir, "link"), "--send", "ping", "--", "wiretea", "demo", "--server", "legacy"); got.code != term.ExitFine {
		t.Errorf("through a link: %v", got)
	}
}
