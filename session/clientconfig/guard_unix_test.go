//go:build unix

package clientconfig

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// An owned file is one of another user's, with one name.
type owned struct {
	fs.FileInfo
	stat syscall.Stat_t
}

func (o *owned) Sys() any { return &o.stat }

// TestGuardReplace checks that no file is replaced that belongs to another user, or that
// has another name.
func TestGuardReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || notReplaceable(info) != "" {
		t.Fatalf("our own file: %q, %v", notReplaceable(info), err)
	}
	other := owned{info, *info.Sys().(*syscall.Stat_t)}
	other.stat.Uid++
	if why := notReplaceable(&other); !strings.Contains(why, "another user") {
		t.Errorf("the file of another user: %q", why)
	}
	if err := os.Link(path, path+"2"); err != nil {
		t.Skip(err)
	}
	if info, err = os.Stat(path); err != nil || !strings.Contains(notReplaceable(info), "hard links") {
		t.Errorf("a file with two names: %q, %v", notReplaceable(info), err)
	}
}
