//go:build unix

package atomicfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGuardFolder checks that only a folder of this user, closed to others and no link,
// is used.
func TestGuardFolder(t *testing.T) {
	dir := t.TempDir()
	own := filepath.Join(dir, "a", "own")
	if err := MakeFolder(own); err != nil {
		t.Fatal(err)
	}
	link, open := filepath.Join(dir, "link"), filepath.Join(dir, "open")
	if err := os.Symlink(own, link); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o750); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{link: "is not a folder", open: "open to others"} {
		if err := MakeFolder(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	ownUID = func() int { return os.Getuid() + 1 }
	defer func() { ownUID = os.Getuid }()
	if err := MakeFolder(own); err == nil || !strings.Contains(err.Error(), "belongs to another user") {
		t.Errorf("a folder of another user: %v", err)
	}
}
