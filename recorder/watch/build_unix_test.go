//go:build unix

package watch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestShellBuild(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		command, says string
		output        string
	}{
		"fine":         {"pwd; echo warning >&2", "build ok ", dir + "\nwarning\n"},
		"fails":        {"echo no; exit 3", "build failed, exit code 3, ", "no\n"},
		"is killed":    {"kill -9 $$", "build ended by a signal (killed), ", ""},
		"reads":        {"cat", "build ok ", ""},
		"no terminal":  {"echo x 2>/dev/null >/dev/tty || echo none", "build ok ", "none\n"},
		"leaves a job": {"sleep 1000 & echo $! >job", "build ok ", ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := &ShellBuild{Command: c.command, dir: dir}
			built := b.Build(t.Context())
			if !strings.HasPrefix(built.String(), c.says) || built.OK() != strings.HasPrefix(c.says, "build ok") {
				t.Errorf("%s, want %s", built.String(), c.says)
			}
			if c.output != "" && string(built.Output) != c.output {
				t.Errorf("it wrote %q, want %q", built.Output, c.output)
			}
		})
	}
	// What a build leaves running on purpose is left alone.
	job := pidIn(t, filepath.Join(dir, "job"))
	if err := syscall.Kill(job, 0); err != nil {
		t.Errorf("the job is gone: %v", err)
	}
	_ = syscall.Kill(job, syscall.SIGKILL)
	if built := (&ShellBuild{Command: "true", dir: filepath.Join(dir, "none")}).Build(t.Context()); built.OK() || built.Err == nil {
		t.Errorf("a build in no folder: %s", built.String())
	}
}

func pidIn(t *testing.T, path string) int {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// TestShellBuildGivenUp: a build that is given up ends with all that it has started,
// however that takes SIGTERM.
func TestShellBuildGivenUp(t *testing.T) {
	dir := t.TempDir()
	b := &ShellBuild{dir: dir, grace: 50 * time.Millisecond, Command: `trap '' TERM
		(trap '' TERM; while :; do sleep 1000; done) &
		echo $! >child.part; mv child.part child
		while :; do sleep 1000; done`}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan bool)
	go func() {
		built := b.Build(ctx)
		done <- built.OK()
	}()
	child := filepath.Join(dir, "child")
	waitFor(t, "the build's child", func() bool { _, err := os.Stat(child); return err == nil })
	cancel()
	if <-done {
		t.Error("a build that was given up is fine")
	}
	pid := pidIn(t, child)
	waitFor(t, "the child's end", func() bool {
		state, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		zombie := err == nil && strings.Contains(string(state), ") Z ")
		return zombie || errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
	})
}

// waitFor waits until something holds.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(3 * time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
