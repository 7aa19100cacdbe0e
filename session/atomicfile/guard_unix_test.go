//go:build unix

package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestGuardRegular checks that anything but a regular file is refused without waiting, and
// that no more is read of a file than is wanted.
func TestGuardRegular(t *testing.T) {
	dir := t.TempDir()
	pipe, sparse, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "sparse"), filepath.Join(dir, "link")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.Symlink(pipe, link)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, link, dir, os.DevNull} {
		f, err := Open(path)
		if !errors.Is(err, ErrNotRegular) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
		if err == nil {
			f.Close()
		}
	}
	f, err := os.Create(sparse)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Truncate(1<<30), f.Close()); err != nil {
		t.Fatal(err)
	}
	data, err := Read(sparse, 1000)
	if err == nil || len(data) > 1001 {
		t.Errorf("%d bytes are read, %v", len(data), err)
	}
	if err := os.Truncate(sparse, 1000); err != nil {
		t.Fatal(err)
	}
	if data, err := Read(sparse, 1000); err != nil || len(data) != 1000 {
		t.Errorf("%d bytes are read, %v", len(data), err)
	}
}
