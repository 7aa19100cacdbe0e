//go:build unix

package recorder

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestListPipe holds that a pipe among the sessions, whose other end nobody opens,
// is listed as unreadable and not waited for.
func TestListPipe(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "20261120-100000-pipe-1"+Suffix), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := List(dir)
	if err != nil || len(list) != 1 || !errors.Is(list[0].Err, ErrNotSession) {
		t.Errorf("%v %+v", err, list)
	}
}

// TestBeginClosesFolder holds that nobody else may write into the default sessions folder
// once something was recorded there, and that a folder that the user named stays as it is.
func TestBeginClosesFolder(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	own, err := SessionsFolder("")
	if err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]os.FileMode{own: 0o700, filepath.Join(t.TempDir(), "shared"): 0o777} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		h := header()
		s, err := Begin(dir, &h)
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
		if Shared(dir) != (want == 0o777) {
			t.Errorf("%s is shared: %t", dir, Shared(dir))
		}
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want %v", dir, info.Mode(), err, want)
		}
	}
}
