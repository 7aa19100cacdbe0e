//go:build unix

package cli

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"wiretea/recorder"
	"wiretea/recorder/inventory"
	"wiretea/session/clientconfig"
	"wiretea/ui/cli/term"
)

// TestNoFileBlocks puts a pipe without a writer, a socket, a link to a device and a link to
// nothing in the place of every file that is beside recordings or among them: no
// command waits, and the others are listed.
func TestNoFileBlocks(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	good := recordDemo(t, "legacy", "ping")
	kinds := map[string]func(path string) error{
		"pipe": func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"socket": func(path string) error {
			l, err := net.Listen("unix", path)
			if err == nil {
				t.Cleanup(func() { l.Close() })
			}
			return err
		},
		"device":  func(path string) error { return os.Symlink("/dev/zero", path) },
		"nothing": func(path string) error { return os.Symlink(filepath.Join(filepath.Dir(path), "none"), path) },
		"folder":  func(path string) error { return os.Mkdir(path, 0o700) },
	}
	for kind, put := range kinds {
		t.Run(kind, func(t *testing.T) {
			dir, err := os.MkdirTemp("", "w") // The name of a socket is short.
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(dir)
			file, odd := filepath.Join(dir, "good"+recorder.Suffix), filepath.Join(dir, "odd"+recorder.Suffix)
			writeFile(t, file, string(good))
			for _, path := range []string{recorder.NotesPath(file), odd, odd + ".gz"} {
				if err := put(path); err != nil {
					t.Fatal(err)
				}
			}
			for _, args := range [][]string{
				{"sessions", "ls", "--sessions", dir}, {"sessions", "ls", "--json", "--sessions", dir}, {"__complete", "sessions", "show", "--sessions", dir, ""},
				{"check", file}, {"open", "--plain", file}, {"export", "--notes", file}, {"redact", "--force", file, filepath.Join(dir, "copy")}, {"scan", file}, {"sessions", "show", file}, {"sessions", "prune", "--keep", "0", "--older-than", "1ns", "--dry-run", "--sessions", dir},
			} {
				ctx, cancel := context.WithTimeout(t.Context(), readTime)
				got := inProcess(ctx, args...)
				if cancel(); ctx.Err() == context.DeadlineExceeded || strings.Contains(got.err, "internal error") {
					t.Fatalf("%q: %v", args, got)
				}
				if args[0] == "sessions" && args[1] == "ls" && !strings.Contains(got.out, "good") {
					t.Errorf("%q does not list the other one: %v", args, got)
				}
			}
			home := inventory.NewFinder(dir, clientconfig.Place{})
			home.All(t.Context())
			if err := home.Judge(t.Context(), odd); err != nil && kind != "nothing" {
				t.Logf("judged: %v", err)
			}
			if err := recorder.AppendNote(file, "1", recorder.Note{N: 1, Mark: true}); err == nil {
				t.Error("a note was kept in a file that is not a file of notes")
			}
		})
	}
}

// TestWaitsEnd interrupts commands that wait for what comes out of a pipe: they end, and
// say so in plain words.
func TestWaitsEnd(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	good := filepath.Join(t.TempDir(), "good"+recorder.Suffix)
	writeFile(t, good, string(recordDemo(t, "legacy", "ping")))
	rules := filepath.Join(t.TempDir(), "policy.toml")
	writeFile(t, rules, "")
	for _, args := range [][]string{
		{"open", "--plain"}, {"open", "--json"}, {"check"}, {"export"}, {"export", "--dir", "s2c"}, {"export", "--dir", "s2c", "--with-secrets"}, {"scan"}, {"sessions", "show"}, {"sessions", "cat"}, {"diff", good}, {"mock"},
		{"policy"}, {"policy", rules}, {"export", "--force", good, "-o"}, {"redact", "--force", good}, {"replay", "--no-record", good, "--", "true", "--junit"},
		{"call", "--no-record", "ping", "--", "true", "@"}, {"call", "ping", "--", "true", "--elicitation"}, {"call", "ping", "--", "true", "--sampling"}, {"run", "--plain", "--", "true", "--elicitation"}, {"check", "--", "true", "--sampling"},
		{"call", "ping", "http://127.0.0.1:1/", "--cacert"}, {"proxy", "http://127.0.0.1:1/", "--cacert"}, {"proxy", "http://127.0.0.1:1/", "--policy"}, {"tee", "--", "true", "--policy"}, {"run", "--plain", "--", "true", "--policy"},
		{"tee", "--", "true", "--fault"}, {"run", "--plain", "--", "true", "--fault"},
	} {
		pipe := filepath.Join(t.TempDir(), "pipe") // One of its own: what waited for another still does.
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		args = withPipe(args, pipe)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan outcome, 1)
		go func() { ended <- inProcess(ctx, args...) }()
		time.AfterFunc(20*time.Millisecond, cancel)
		select {
		case got := <-ended:
			if got.code == term.ExitFine && args[0] != "sessions" {
				t.Errorf("%q: %v", args, got)
			}
			if said := strings.Contains(got.err, "interrupted"); strings.Contains(got.err, "context canceled") || said && (got.code != term.ExitInterrupted || strings.Contains(got.err, "hint:")) || !said && args[0] == "check" {
				t.Errorf("%q: %v", args, got)
			}
		case <-time.After(readTime):
			t.Errorf("%q does not end", args)
		}
	}
}

// withPipe returns a command with a pipe as its last word, or, if it starts a server, behind
// its last word before the server's command: @ is a file of parameters.
func withPipe(words []string, pipe string) []string {
	last := words[len(words)-1]
	at := slices.Index(words, "--")
	switch {
	case last == "@":
		return slices.Concat(words[:at], []string{"@" + pipe}, words[at:len(words)-1])
	case at >= 0:
		return slices.Concat(words[:at], []string{last, pipe}, words[at:len(words)-1])
	}
	return append(slices.Clone(words), pipe)
}

// TestSummaryOfPipe holds that the summary of what comes through a pipe names no size.
func TestSummaryOfPipe(t *testing.T) {
	t.Parallel()
	pipe, text := filepath.Join(t.TempDir(), "pipe"), recordDemo(t, "legacy", "ping")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() { written <- os.WriteFile(pipe, text, 0o600) }()
	got := inProcess(t.Context(), "sessions", "show", pipe)
	if err := <-written; err != nil || got.code != 0 || !strings.HasPrefix(got.out, "file      "+pipe+"\n") {
		t.Errorf("%v, %v", got, err)
	}
}
