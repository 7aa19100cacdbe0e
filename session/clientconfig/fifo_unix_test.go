//go:build unix

package clientconfig

import (
	"os"
	"syscall"
	"testing"
)

// TestPipeIsNotOpened: a pipe in the place of a file would hang its reader.
func TestPipeIsNotOpened(t *testing.T) {
	p, path := home(t, "")
	must(t, os.Remove(path))
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	if f := cursor(t, p); f.Err == nil || f.Missing() {
		t.Errorf("got %v", f.Err)
	}
}
