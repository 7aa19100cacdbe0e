//go:build unix

package config

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"wiretea/session/atomicfile"
)

// TestGuardReplaces checks that what is not a file is never replaced by the settings,
// whether it lies in the folder or a link leads to it.
func TestGuardReplaces(t *testing.T) {
	for name, linked := range map[string]bool{"in the folder": false, "behind a link": true} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "state.toml")
			pipe := path
			if linked {
				pipe = filepath.Join(t.TempDir(), "pipe")
				if err := os.Symlink(pipe, path); err != nil {
					t.Fatal(err)
				}
			}
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := (Settings{}).Save(dir); !errors.Is(err, atomicfile.ErrNotRegular) {
				t.Errorf("saving: %v", err)
			}
			if info, err := os.Lstat(pipe); err != nil || info.Mode().Type() != os.ModeNamedPipe {
				t.Errorf("the pipe is %v, %v", info, err)
			}
		})
	}
}
