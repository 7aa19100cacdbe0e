//go:build !unix

package atomicfile

import (
	"os"
	"path/filepath"
)

// Temp is the path of the user's own folder among the temporary files, which are the
// user's alone here; it may not exist.
func TempFolder() string { return filepath.Join(os.TempDir(), "wiretea") }

// Make makes a folder, with those above it.
func MakeFolder(path string) error { return os.MkdirAll(path, 0o700) }

// Check returns why there is no such folder.
func CheckFolder(path string) error {
	_, err := os.Stat(path)
	return err
}
