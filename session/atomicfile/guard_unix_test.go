//go:build unix

package atomicfile

import (
	"bytes"
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
	if data, err := Read(sparse, 1000); !errors.Is(err, errTooLong) || !strings.Contains(err.Error(), sparse) || len(data) > 0 {
		t.Errorf("%d bytes are read, %v", len(data), err)
	}
	if err := os.Truncate(sparse, 1000); err != nil {
		t.Fatal(err)
	}
	if data, err := Read(sparse, 1000); err != nil || len(data) != 1000 {
		t.Errorf("%d bytes are read, %v", len(data), err)
	}
}

// TestGuardSize checks how much is read of a file whose size is told, or is not.
func TestGuardSize(t *testing.T) {
	for name, c := range map[string]struct {
		size, length int64
		read         int // read is how many of 1000 bytes that are wanted are read, and one more.
		tooLong      bool
	}{
		"as told":              {size: 1000, length: 1000, read: 1000},
		"nothing is told":      {size: 0, length: 1000, read: 1000},
		"nothing told of more": {size: 0, length: 1 << 20, read: 1001, tooLong: true},
		"grows":                {size: 1000, length: 1 << 20, read: 1001, tooLong: true},
		"shrinks":              {size: 1000, length: 10, read: 10},
		"too long":             {size: 1001, length: 1001, read: 0, tooLong: true},
	} {
		t.Run(name, func(t *testing.T) {
			file := bytes.NewReader(make([]byte, c.length))
			data, err := readAll(file, c.size, 1000)
			if read := int(c.length) - file.Len(); read != c.read {
				t.Errorf("%d bytes are read, want %d", read, c.read)
			}
			if got := errors.Is(err, errTooLong); got != c.tooLong || err != nil && !got {
				t.Errorf("error %v", err)
			}
			if want := c.read; !c.tooLong && len(data) != want || c.tooLong && len(data) != 0 {
				t.Errorf("%d bytes are returned", len(data))
			}
		})
	}
}
