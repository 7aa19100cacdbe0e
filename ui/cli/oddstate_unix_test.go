//go:build unix

package cli

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"wiretea/recorder"
	"wiretea/ui/termtest"
)

// stateCommands are commands that read or write what wiretea and its clients keep below
// a home folder, and what is in a project's folder. REC is a recording.
var stateCommands = [][]string{
	{"sessions", "ls"}, {"clients"}, {"clients", "--json"}, {"trust", "--list"}, {"trust", "--yes"}, {"check", "REC"}, {"redact", "--force", "REC", "copy.jsonl"}, {"attach", "--list"},
	{"check", "--tools-lock", "lock.json", "--", "wiretea", "demo", "--server", "legacy"}, {"run", "--plain", "--send", "ping", "--", "wiretea", "demo", "--server", "legacy"}, {"tee", "--", "true"}, {"call", "ping", "--", "wiretea", "demo", "--server", "legacy"},
	{"wrap", "cursor", "a"}, {"wrap", "--file", "other.json", "a"}, {"tee", "--sessions", "/proc/none", "--", "true"}, {"call", "ping", "http://127.0.0.1:1/mcp"}, {"unwrap", "--dry-run", "cursor", "a"}, {"policy", "check", "policy.toml"}, {"tee", "--policy", "policy.toml", "--", "true"},
	{"run", "--plain", "--policy", "policy.toml", "--send", "ping", "--", "wiretea", "demo", "--server", "legacy"}, {"__complete", "wrap", "cursor", ""}, {"check", "--baseline", "baseline.json", "REC"},
	{"open", "--merged", "REC", "REC"},
}

// TestOddState finds out which files the commands make and read, puts in the place of
// each what is not a file that can be read, and has the commands run again that use it:
// none waits, takes the machine's memory, or paints.
func TestOddState(t *testing.T) {
	if raceEnabled {
		t.Skip("hundreds of programs are started, which are not this one")
	}
	t.Parallel()
	rec := filepath.Join(t.TempDir(), "rec"+recorder.Suffix)
	writeFile(t, rec, string(recordDemo(t, "legacy", "ping")))
	furnish := func(t *testing.T) string {
		home := t.TempDir()
		for name, text := range map[string]string{
			"project/wiretea.toml": "[check]\nmax-context = 99999\n", "project/.mcp.json": `{"mcpServers":{"b":{"command":"true"}}}`, "project/other.json": `{"mcpServers":{"a":{"command":"true"}}}`,
			".cursor/mcp.json": `{"mcpServers":{"a":{"command":"true"}}}`, ".config/wiretea/config.toml": "notice = \"9s\"\n", "project/policy.toml": "default = \"allow\"\n", "project/baseline.json": `{"findings":[]}`,
		} {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(home, name)), 0o700); err != nil {
				t.Fatal(err)
			}
			writeFile(t, filepath.Join(home, name), text)
		}
		return home
	}
	first := furnish(t)
	for i := range stateCommands {
		runState(t, first, rec, i)
	}
	var kept []string
	for _, name := range files(t, first) {
		// redact waits for who reads the pipe that it is told to write.
		if !strings.Contains(name, "/sessions/2") && name != "project/copy.jsonl" {
			kept = append(kept, name)
		}
	}
	for _, name := range []string{"accepted", "index.key", "credential.key", "sessions/.unrecorded.jsonl"} {
		if !slices.Contains(kept, ".local/state/wiretea/"+name) {
			t.Errorf("%s was not made: %q", name, kept)
		}
	}
	for _, name := range []string{".config/wiretea/state.toml", ".local/state/wiretea/proxy.json", "project/lock.json"} {
		if _, err := os.Stat(filepath.Join(first, name)); err != nil {
			writeFile(t, filepath.Join(first, name), "{}")
		}
		kept = append(kept, name)
	}
	uses := usesOf(t, first, rec)
	kept = append(kept, ".local/state/wiretea", ".local/state/wiretea/sessions")
	slices.Sort(kept)
	for _, name := range slices.Compact(kept) {
		for kind, put := range oddKinds {
			t.Run(strings.ReplaceAll(name, "/", "⁄")+"/"+kind, func(t *testing.T) {
				t.Parallel()
				home := furnish(t)
				path := filepath.Join(home, name)
				if err := errors.Join(os.RemoveAll(path), os.MkdirAll(filepath.Dir(path), 0o700)); err != nil {
					t.Fatal(err)
				}
				if err := put(path); err != nil {
					t.Fatal(err)
				}
				for i := range stateCommands {
					if uses[i] == nil || usesBelow(uses[i], name) {
						runState(t, home, rec, i)
					}
				}
			})
		}
	}
}

var oddKinds = map[string]func(path string) error{
	"pipe":    func(path string) error { return syscall.Mkfifo(path, 0o600) },
	"device":  func(path string) error { return os.Symlink("/dev/zero", path) },
	"nothing": func(path string) error { return os.Symlink("/nonexistent/x", path) },
	"folder":  func(path string) error { return os.Mkdir(path, 0o700) },
	"evil":    func(path string) error { return os.WriteFile(path, []byte(orders+orders), 0o600) },
	"socket": func(path string) error {
		// The name of a socket is short when it is made.
		short, err := os.MkdirTemp("", "wt")
		if err != nil {
			return err
		}
		defer os.RemoveAll(short)
		l, err := net.Listen("unix", filepath.Join(short, "s"))
		if err != nil {
			return err
		}
		l.(*net.UnixListener).SetUnlinkOnClose(false)
		return errors.Join(l.Close(), os.Rename(filepath.Join(short, "s"), path))
	},
	"huge": func(path string) error {
		f, err := os.Create(path)
		return errors.Join(err, f.Truncate(64<<30), f.Close())
	},
}

// usesOf runs all commands in a home folder where all of them have run before, and returns
// which files each of them uses, by their names below the folder. nil = any: the system does
// not tell.
func usesOf(t *testing.T, home, rec string) []map[string]bool {
	t.Helper()
	uses := make([]map[string]bool, len(stateCommands))
	w := watchUses(t, home)
	for i := range stateCommands {
		runState(t, home, rec, i)
		uses[i] = w.since()
	}
	return uses
}

// usesBelow reports whether a file is used, or what is in a folder.
func usesBelow(used map[string]bool, name string) bool {
	for path := range used {
		if path == name || strings.HasPrefix(path, name+"/") {
			return true
		}
	}
	return false
}

// runState runs the command with number i of stateCommands for one home folder.
func runState(t *testing.T, home, rec string, i int) {
	t.Helper()
	words := stateCommands[i]
	args := slices.Clone(words)
	for at, word := range args {
		if word == "REC" {
			args[at] = rec
		}
	}
	dir := filepath.Join(home, "project")
	if !isFolder(dir) {
		dir = home
	}
	if words[0] == "open" {
		openState(t, home, dir, args)
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), readTime)
	defer cancel()
	temp := home + ".tmp"
	if err := os.MkdirAll(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	var out, errw bytes.Buffer
	cmd := exec.CommandContext(ctx, "sh", append([]string{"-c", limited, "sh"}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+home, "TMPDIR="+temp, "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=")
	cmd.Stdout, cmd.Stderr = &out, &errw
	cmd.WaitDelay = readTime
	cmd.Dir = dir
	_ = cmd.Run() // Its exit code is judged below.
	switch code := cmd.ProcessState.ExitCode(); {
	case ctx.Err() != nil:
		t.Errorf("%q did not end", words)
	case code < 0, code > 4 && words[0] != "tee", strings.Contains(errw.String(), "goroutine "), strings.Contains(errw.String(), "internal error"):
		t.Errorf("%q: exit code %d, %s", words, code, &errw)
	}
	unpainted(t, words, errw.String())
}

// limited runs wiretea so that memory that is asked for without an end is refused before it is
// there.
const limited = `ulimit -v 8388608; exec wiretea "$@"`

// openState runs a command that has the screen for one home folder, and leaves the screen once
// its sessions are shown.
func openState(t *testing.T, home, dir string, args []string) {
	t.Helper()
	env := []string{"HOME=" + home, "XDG_CONFIG_HOME=", "XDG_CACHE_HOME="}
	p, err := termtest.StartPty(120, 40, termtest.Options{Sync: true}, env, append([]string{"sh", "-c", `cd "$0" && ` + limited, dir}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	_, shown := p.UntilText(readTime, "2 sessions on one clock")
	_ = p.Quit() // Its exit code is judged below.
	p.Look(func(term *termtest.Terminal) {
		text := term.String()
		if code := p.Cmd.ProcessState.ExitCode(); shown != nil || code != 0 || strings.Contains(text, "goroutine ") || strings.Contains(text, "internal error") {
			t.Errorf("%q: exit code %d, %v: %s", args, code, shown, text)
		}
		if u := term.Unknown(); len(u) > 0 {
			t.Errorf("%q: the terminal does not understand %q", args, u)
		}
	})
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&fs.ModeDir != 0
}
