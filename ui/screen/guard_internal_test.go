package screen

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestGuardCopies checks that what is copied is kept where its owner alone can read it.
func TestGuardCopies(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(name, home)
	}
	path, err := keepCopy("hunter2")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "hunter2" {
		t.Errorf("%q, %v", text, err)
	}
	wantMode(t, path, 0o600)
	wantMode(t, filepath.Dir(path), fs.ModeDir|0o700)
}

// TestGuardWriteNew checks that an export is its owner's alone, and overwrites nothing.
func TestGuardWriteNew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "export")
	fill := func(text string) error {
		_, err := writeNew(path, func(f *os.File) error { _, err := f.WriteString(text); return err })
		return err
	}
	if err := fill("first"); err != nil {
		t.Fatal(err)
	}
	wantMode(t, path, 0o600)
	if err := fill("second"); err == nil {
		t.Error("a file is overwritten")
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "first" {
		t.Errorf("%q, %v", text, err)
	}
}

func wantMode(t *testing.T, path string, want fs.FileMode) {
	t.Helper()
	if info, err := os.Stat(path); err != nil || info.Mode() != want && runtime.GOOS != "windows" {
		t.Errorf("the mode of %s is not %v: %v, %v", path, want, info, err)
	}
}
