//go:build unix

package recorder

import (
	"errors"
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
