package clientconfig

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestReadOnlyFolder: where the new file could not be made it is said beforehand,
// and nothing is written.
func TestReadOnlyFolder(t *testing.T) {
	p, path := home(t, plainConfig)
	f := cursor(t, p)
	c, err := f.Wrap(server(t, f, "a"), binary)
	must(t, err)
	if err := c.Refused(); err != nil {
		t.Fatalf("refused in a folder that can be written: %v", err)
	}
	folder := filepath.Dir(path)
	must(t, os.Chmod(folder, 0o555))
	t.Cleanup(func() { _ = os.Chmod(folder, 0o755) })
	as(t, path, func() {
		if err := c.Refused(); !errors.Is(err, ErrReadOnlyFolder) {
			t.Errorf("refused beforehand: %v", err)
		}
		if err := c.Apply(); !errors.Is(err, ErrReadOnlyFolder) {
			t.Errorf("applied: %v", err)
		}
	})
	if got := content(t, path); got != plainConfig {
		t.Errorf("written anyway:\n%s", got)
	}
}

// as calls do as somebody whom permissions bind: root is another user to the file
// system meanwhile, who may get to path.
func as(t *testing.T, path string, do func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		do()
		return
	}
	for at := filepath.Dir(filepath.Dir(path)); at != "/" && at != os.TempDir(); at = filepath.Dir(at) {
		must(t, os.Chmod(at, 0o755))
	}
	must(t, os.Chmod(path, 0o644))
	const nobody = 65534
	// The thread ends with the goroutine, which does not unlock it.
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if err := unix.Setfsuid(nobody); err != nil {
			t.Error(err)
			return
		}
		do()
	}()
	<-done
}
