package config

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestGuardFolder checks that the settings are their owner's alone: they have the
// history of what was typed.
func TestGuardFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "wiretea")
	if err := (Settings{}).Save(dir); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{dir: os.ModeDir | 0o700, filepath.Dir(dir): os.ModeDir | 0o700, filepath.Join(dir, "state.toml"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want && runtime.GOOS != "windows" {
			t.Errorf("the mode of %s is not %v: %v, %v", path, want, info, err)
		}
	}
}
