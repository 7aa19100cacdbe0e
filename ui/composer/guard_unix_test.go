//go:build unix

package composer_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"wiretea/ui/composer"
)

// TestGuardModes checks that the history of requests is its owner's alone.
func TestGuardModes(t *testing.T) {
	s := composer.Store{Dir: filepath.Join(t.TempDir(), "new", "history")}
	if _, err := s.Add("key", entry("tools/call", `{"name":"a"}`)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]fs.FileMode{s.Dir: fs.ModeDir | 0o700, filepath.Join(s.Dir, "key.jsonl"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("the mode of %s is not %v: %v, %v", path, want, info, err)
		}
	}
}
