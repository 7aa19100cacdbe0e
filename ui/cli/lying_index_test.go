package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wiretea/recorder"
	"wiretea/recorder/inventory"
	"wiretea/session/clientconfig"
	"wiretea/ui/cli/term"
)

// TestLyingIndex puts the index of a healthy recording beside a bad one of the same size,
// id and end, with the times of the healthy one: nothing that is said of the bad one
// comes from it.
func TestLyingIndex(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	good := string(recordDemo(t, "legacy", `tools/call {"name":"echo","arguments":{"message":"`+strings.Repeat("hi ", 3000)+`"}}`))
	dir := t.TempDir()
	file := filepath.Join(dir, "x"+recorder.Suffix)
	writeFile(t, file, good)
	before, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(dir, "old"+recorder.Suffix)
	writeFile(t, old, good)
	for _, f := range []string{file, old} {
		// sessions show in the sessions folder saves an index; here opening it for home does.
		if err := judgeForHome(t, f); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(recorder.IndexPath(f)); err != nil {
			t.Fatal(err)
		}
	}
	bad := strings.Replace(good, `"protocolVersion"`, `"protocolversion"`, 2)
	if len(bad) != len(good) || bad == good || bad[len(bad)-4096:] != good[len(good)-4096:] {
		t.Fatal("the bad recording is not like the good one")
	}
	// In place, with the old times.
	writeFile(t, file, bad)
	if err := os.Chtimes(file, before.ModTime(), before.ModTime()); err != nil {
		t.Fatal(err)
	}
	// By rename, with another one's index beside it.
	moved := filepath.Join(dir, "moved"+recorder.Suffix)
	writeFile(t, moved, bad)
	if err := os.Rename(recorder.IndexPath(old), recorder.IndexPath(moved)); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{file, moved} {
		if got := inProcess(t.Context(), "check", f); got.code != term.ExitFound {
			t.Errorf("check: %v", got)
		}
		for _, args := range [][]string{{"sessions", "show", f}, {"export", "--format", "md", f}} {
			if got := inProcess(t.Context(), args...); strings.Contains(got.out, "nothing is wrong") || strings.Contains(got.out, "0 errors, 0 warnings") {
				t.Errorf("%q believes the index: %v", args, got)
			}
		}
	}
}

// judgeForHome judges a recording as the home screen does, which keeps an index beside it.
func judgeForHome(t *testing.T, file string) error {
	t.Helper()
	return inventory.NewFinder(filepath.Dir(file), clientconfig.Place{}).Judge(t.Context(), file)
}

// TestCheckSavesIndex holds that a recording of the sessions folder that was checked has an
// index from then on, by whatever path it was named, and that one elsewhere has not.
func TestCheckSavesIndex(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	recording := string(recordDemo(t, "legacy", "ping"))
	folder := filepath.Join(home, ".local", "state", "wiretea", "sessions")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(folder)
	for name, path := range map[string]string{"relative": "relative" + recorder.Suffix, "through": "../sessions/through" + recorder.Suffix, "absolute": filepath.Join(folder, "absolute"+recorder.Suffix)} {
		file := filepath.Join(folder, name+recorder.Suffix)
		writeFile(t, file, recording)
		if got := inProcess(t.Context(), "check", path); got.code != term.ExitFine {
			t.Errorf("%s: %v", path, got)
		}
		if _, err := os.Stat(recorder.IndexPath(file)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	elsewhere := filepath.Join(t.TempDir(), "x"+recorder.Suffix)
	writeFile(t, elsewhere, recording)
	if got := inProcess(t.Context(), "check", elsewhere); got.code != term.ExitFine {
		t.Error(got)
	}
	if _, err := os.Stat(recorder.IndexPath(elsewhere)); err == nil {
		t.Error("an index lies beside a small recording that is not in the sessions folder")
	}
}
