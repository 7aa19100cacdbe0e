//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"wiretea/recorder/verdict/project"
	"wiretea/ui/cli/term"
)

// TestSettingsAreAFile holds that anything but a small regular file is refused at once, in
// place of the settings and of the files that they name, and that none of these lies
// outside the folder by way of a link.
func TestSettingsAreAFile(t *testing.T) {
	recording := newTape().tools("echo:A").bye().save(t, "s.jsonl")
	t.Setenv("HOME", t.TempDir())
	outside := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	sparse := func(path string, size int64) {
		f, err := os.Create(path)
		must(err)
		must(f.Truncate(size))
		must(f.Close())
	}
	for name, test := range map[string]struct {
		make func()
		says string
	}{
		"pipe":           {func() { must(syscall.Mkfifo(project.File, 0o600)) }, "not a regular file"},
		"device":         {func() { must(os.Symlink("/dev/zero", project.File)) }, "not a regular file"},
		"folder":         {func() { must(os.Mkdir(project.File, 0o700)) }, "not a regular file"},
		"sparse":         {func() { sparse(project.File, 1<<40) }, "it is longer than"},
		"baseline pipe":  {func() { must(syscall.Mkfifo("b", 0o600)); writeFile(t, project.File, "[check]\nbaseline = \"b\"\n") }, "not a regular file"},
		"baseline large": {func() { sparse("b", 1<<40); writeFile(t, project.File, "[check]\nbaseline = \"b\"\n") }, "it is longer than"},
		"lock pipe":      {func() { must(syscall.Mkfifo("l", 0o600)); writeFile(t, project.File, "[check]\ntools-lock = \"l\"\n") }, "not a regular file"},
		"linked folder":  {func() { must(os.Symlink(outside, "d")); writeFile(t, project.File, "[check]\ntools-lock = \"d/l\"\n") }, "outside the folder"},
		"linked file": {func() {
			must(os.Symlink(filepath.Join(outside, "l"), "l"))
			writeFile(t, project.File, "[check]\ntools-lock = \"l\"\n")
		}, "outside the folder"},
		"linked baseline": {func() {
			must(os.Symlink("/etc/hostname", "b"))
			writeFile(t, project.File, "[check]\nbaseline = \"b\"\n")
		}, "outside the folder"},
	} {
		t.Chdir(t.TempDir())
		test.make()
		for _, args := range [][]string{{"check", recording}, {"trust", "--yes"}, {"check", "--config", project.File, recording}} {
			if name == "lock pipe" && args[0] == "trust" {
				continue // which does not read it
			}
			if got := inProcess(t.Context(), args...); got.code != term.ExitUsage || !strings.Contains(got.err, test.says) {
				t.Errorf("%s, %q: %v", name, args, got)
			}
		}
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
		t.Errorf("%v, %v in another folder", left, err)
	}
}
