//go:build unix

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"wiretea/recorder"
	"wiretea/ui/termtest"
)

// stateCommands are commands that read or write what wiretea and its clients keep below
// a home folder, and what is in a project's folder. REC is a recording.
var stateCommands = [][]string{
	{"sessions", "ls"}, {"clients"}, {"clients", "--json"}, {"check", "REC"}, {"redact", "--force", "REC", "copy.jsonl"}, {"attach", "--list"},
	{"check", "--tools-lock", "lock.json", "--", "wiretea", "demo", "--server", "legacy"}, {"run", "--plain", "--send", "ping", "--", "wiretea", "demo", "--server", "legacy"}, {"tee", "--", "true"}, {"call", "ping", "--", "wiretea", "demo", "--server", "legacy"},
	{"wrap", "cursor", "a"}, {"wrap", "--file", "other.json", "a"}, {"tee", "--sessions", "/proc/none", "--", "true"}, {"call", "ping", "http://127.0.0.1:1/mcp"}, {"unwrap", "--dry-run", "cursor", "a"}, {"policy", "policy.toml"}, {"tee", "--policy", "policy.toml", "--", "true"},
	{"run", "--plain", "--policy", "policy.toml", "--send", "ping", "--", "wiretea", "demo", "--server", "legacy"}, {"__complete", "wrap", "cursor", ""}, {"check", "--baseline", "baseline.json", "REC"},
	{"open", "--merged", "REC", "REC"},
}

// TestOddState finds out which files the commands make and read, puts in the place of
// each what is not a file that can be read, and has the commands run again that use it:
// none waits, takes the machine's memory, or paints. See oddKind for what each command meets.
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
			"project/.mcp.json": `{"mcpServers":{"b":{"command":"true"}}}`, "project/other.json": `{"mcpServers":{"a":{"command":"true"}}}`,
			".cursor/mcp.json": `{"mcpServers":{"a":{"command":"true"}}}`, ".config/wiretea/config.toml": "notice = \"9s\"\n", "project/policy.toml": "default = \"allow\"\n", "project/baseline.json": `{"findings":[]}`,
		} {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(home, name)), 0o700); err != nil {
				t.Fatal(err)
			}
			writeFile(t, filepath.Join(home, name), text)
		}
		return home
	}
	first, host := furnish(t), &stateHost{rec: rec}
	defer host.end()
	for i := range stateCommands {
		host.run(t, first, i)
	}
	var kept []string
	for _, name := range filesIn(t, first) {
		// redact waits for who reads the pipe that it is told to write.
		if !strings.Contains(name, "/sessions/2") && name != "project/copy.jsonl" {
			kept = append(kept, name)
		}
	}
	for _, name := range []string{"summaries.jsonl", "credential.key", "sessions/.unrecorded.jsonl"} {
		if !slices.Contains(kept, ".local/state/wiretea/"+name) {
			t.Errorf("%s was not made: %q", name, kept)
		}
	}
	for _, name := range []string{".config/wiretea/state.toml", ".local/state/wiretea/wrapped.json", "project/lock.json"} {
		if _, err := os.Stat(filepath.Join(first, name)); err != nil {
			writeFile(t, filepath.Join(first, name), "{}")
		}
		kept = append(kept, name)
	}
	uses := usesOf(t, first, host)
	kept = append(kept, ".local/state/wiretea", ".local/state/wiretea/sessions")
	slices.Sort(kept)
	for _, name := range slices.Compact(kept) {
		t.Run(strings.ReplaceAll(name, "/", "⁄"), func(t *testing.T) {
			t.Parallel()
			host := &stateHost{rec: rec}
			defer host.end()
			usesIt := func(i int) bool { return uses[i] == nil || usesBelow(uses[i], name) }
			used := 0 // used is how many commands use the file.
			for i := range stateCommands {
				if usesIt(i) {
					used++
				}
			}
			for kind, odd := range oddKinds {
				t.Run(kind, func(t *testing.T) {
					home := furnish(t)
					path := filepath.Join(home, name)
					if err := errors.Join(os.RemoveAll(path), os.MkdirAll(filepath.Dir(path), 0o700)); err != nil {
						t.Fatal(err)
					}
					if err := odd.put(path); err != nil {
						t.Fatal(err)
					}
					turn := 0
					for i := range stateCommands {
						if !usesIt(i) {
							continue
						}
						if turn++; used < odd.of || turn%odd.of == odd.turn {
							host.run(t, home, i)
						}
					}
				})
			}
		})
	}
}

// An oddKind is something other than an ordinary file in the place of one. Kinds that the same
// mistake of a reader would let through are alike: each command meets one of them, in turn, so
// that each of them is met by some command. Every command meets a pipe, which blocks a reader
// that opens it as an ordinary file; a text with terminal sequences; an endless file, which
// fills the memory of a reader without a limit; and one that cannot be opened or read.
type oddKind struct {
	turn, of int // turn of those alike, which are of.
	put      func(path string) error
}

var oddKinds = map[string]oddKind{
	"pipe":    {0, 1, func(path string) error { return syscall.Mkfifo(path, 0o600) }},
	"device":  {0, 2, func(path string) error { return os.Symlink("/dev/zero", path) }},
	"nothing": {0, 3, func(path string) error { return os.Symlink("/nonexistent/x", path) }},
	"folder":  {1, 3, func(path string) error { return os.Mkdir(path, 0o700) }},
	"evil":    {0, 1, func(path string) error { return os.WriteFile(path, []byte(orders+orders), 0o600) }},
	"socket": {2, 3, func(path string) error {
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
	}},
	"huge": {1, 2, func(path string) error {
		f, err := os.Create(path)
		return errors.Join(err, f.Truncate(64<<30), f.Close())
	}},
}

// usesOf runs all commands in a home folder where all of them have run before, and returns
// which files each of them uses, by their names below the folder. nil = any: the system does
// not tell.
func usesOf(t *testing.T, home string, host *stateHost) []map[string]bool {
	t.Helper()
	uses := make([]map[string]bool, len(stateCommands))
	w := watchUses(t, home)
	for i := range stateCommands {
		host.run(t, home, i)
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

func init() { programs["statehost"] = serveStates }

// A stateHost runs commands in a process that is there for many of them, whose start would
// take longer than most of them do: so far as they need neither a terminal nor the process's
// own streams.
type stateHost struct {
	rec  string // rec is what REC stands for.
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *json.Decoder
	errw bytes.Buffer
}

// A stateCommand is what a stateHost is told to run, and stateEnd what came of it.
type (
	stateCommand struct {
		Env  map[string]string
		Dir  string
		Args []string
	}
	stateEnd struct {
		Code   int
		Stderr []byte
	}
)

// serveStates runs commands, one after the other, until its input ends.
func serveStates() {
	log.SetOutput(io.Discard) // As Main does.
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var c stateCommand
		if in.Decode(&c) != nil {
			return
		}
		err := os.Chdir(c.Dir)
		for name, value := range c.Env {
			err = errors.Join(err, os.Setenv(name, value))
		}
		if err != nil {
			panic(err)
		}
		var errw bytes.Buffer
		code := runMain(context.Background(), c.Args, strings.NewReader(""), io.Discard, &errw)
		if out.Encode(stateEnd{code, errw.Bytes()}) != nil {
			return
		}
	}
}

// run runs the command with number i of stateCommands for one home folder.
func (h *stateHost) run(t *testing.T, home string, i int) {
	t.Helper()
	words := stateCommands[i]
	args := slices.Clone(words)
	for at, word := range args {
		if word == "REC" {
			args[at] = h.rec
		}
	}
	dir := filepath.Join(home, "project")
	if !isFolder(dir) {
		dir = home
	}
	temp := home + ".tmp"
	if err := os.MkdirAll(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	c := stateCommand{map[string]string{"HOME": home, "TMPDIR": temp, "XDG_CONFIG_HOME": "", "XDG_CACHE_HOME": ""}, dir, args}
	var got stateEnd
	var ended bool
	switch words[0] {
	case "open":
		openState(t, home, dir, args)
		return
	case "tee":
		got, ended = runState(t.Context(), c)
	default:
		got, ended = h.tell(t, c)
	}
	switch text := string(got.Stderr); {
	case !ended:
		t.Errorf("%q did not end", words)
	case got.Code < 0, got.Code > 4 && words[0] != "tee", strings.Contains(text, "goroutine "), strings.Contains(text, "internal error"):
		t.Errorf("%q: exit code %d, %s", words, got.Code, text)
	}
	unpainted(t, words, string(got.Stderr))
}

// tell has the process run a command, and reports whether that ended in time. A command that
// ends the process has the exit code -1.
func (h *stateHost) tell(t *testing.T, c stateCommand) (got stateEnd, ended bool) {
	t.Helper()
	if h.cmd == nil {
		h.cmd = exec.Command("sh", "-c", limited+"statehost")
		h.cmd.Stderr = &h.errw
		var out io.Reader
		var errs [3]error
		h.in, errs[0] = h.cmd.StdinPipe()
		out, errs[1] = h.cmd.StdoutPipe()
		errs[2] = h.cmd.Start()
		if err := errors.Join(errs[:]...); err != nil {
			t.Fatal(err)
		}
		h.out = json.NewDecoder(out)
	}
	tooLong := time.AfterFunc(readTime, func() { _ = h.cmd.Process.Kill() })
	err := errors.Join(json.NewEncoder(h.in).Encode(c), h.out.Decode(&got))
	ended = tooLong.Stop()
	if err != nil {
		h.end()
		got = stateEnd{-1, bytes.Clone(h.errw.Bytes())}
		h.errw.Reset()
	}
	return got, ended
}

// end ends the process.
func (h *stateHost) end() {
	if h.cmd != nil {
		h.in.Close()
		_ = h.cmd.Wait()
		h.cmd = nil
	}
}

// runState runs a command in a process of its own, and reports whether it ended in time.
func runState(ctx context.Context, c stateCommand) (got stateEnd, ended bool) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	var errw bytes.Buffer
	cmd := exec.CommandContext(ctx, "sh", append([]string{"-c", limited + `wiretea "$@"`, "sh"}, c.Args...)...)
	cmd.Env = os.Environ()
	for name, value := range c.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Stderr, cmd.WaitDelay, cmd.Dir = &errw, readTime, c.Dir
	_ = cmd.Run() // Its exit code is judged by the caller.
	return stateEnd{cmd.ProcessState.ExitCode(), errw.Bytes()}, ctx.Err() == nil
}

// limited runs a program so that memory that is asked for without an end is refused before it
// is there.
const limited = `ulimit -v 8388608; exec `

// openState runs a command that has the screen for one home folder, and leaves the screen once
// its sessions are shown.
func openState(t *testing.T, home, dir string, args []string) {
	t.Helper()
	env := []string{"HOME=" + home, "XDG_CONFIG_HOME=", "XDG_CACHE_HOME="}
	p, err := termtest.StartPty(120, 40, termtest.Options{Sync: true}, env, append([]string{"sh", "-c", `cd "$0" && ` + limited + `wiretea "$@"`, dir}, args...)...)
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
