//go:build unix

package recorder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestGuardModes checks that recordings, and the folders that are made for them, are
// their owner's alone, whoever could read what was there before.
func TestGuardModes(t *testing.T) {
	dir := t.TempDir()
	create := func(name string, overwrite bool) {
		t.Helper()
		s, err := Create(name, overwrite)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	fresh, open := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "open.jsonl")
	create(fresh, false)
	if err := errors.Join(os.WriteFile(open, []byte("old"), 0o600), os.Chmod(open, 0o644)); err != nil {
		t.Fatal(err)
	}
	create(open, true)
	h := header()
	begun, err := Begin(filepath.Join(dir, "sessions"), &h)
	if err != nil {
		t.Fatal(err)
	}
	defer begun.Close()
	for path, want := range map[string]fs.FileMode{
		fresh: 0o600, open: 0o600,
		begun.Path(): 0o600, filepath.Dir(begun.Path()): fs.ModeDir | 0o700,
	} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("the mode of %s is not %v: %v, %v", path, want, info, err)
		}
	}
}

// TestGuardBusy checks that nothing is written into a file that another writer has, not
// even if it may be overwritten.
func TestGuardBusy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	first, err := Create(path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	second, err := Create(path, true)
	if !errors.Is(err, ErrBusy) {
		t.Errorf("a second writer: %v", err)
	}
	if err == nil {
		second.Close()
	}
}

// TestGuardOverwrite checks that a file with content is only overwritten if that is
// asked for, and never anything but a regular file.
func TestGuardOverwrite(t *testing.T) {
	dir := t.TempDir()
	plain, packed := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "b.jsonl.gz")
	for _, path := range []string{plain, packed} {
		if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{plain, packed, plain + ".gz"} {
		s, err := Create(name, false)
		if !errors.Is(err, ErrExists) {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			s.Close()
		}
	}
	for _, path := range []string{plain, packed} {
		if text, err := os.ReadFile(path); err != nil || string(text) != "precious" {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
	if s, err := Create(os.DevNull, true); err == nil {
		s.Close()
		t.Error("a device is taken for a file")
	}
}

// TestGuardPack checks that a recording is not packed, and removed, while it is
// written.
func TestGuardPack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	s, err := Create(path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := Pack(path, path+".gz", true); !errors.Is(err, ErrBusy) {
		t.Errorf("packing it: %v", err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}
