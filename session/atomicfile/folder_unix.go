//go:build unix

package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// ownUID is the user's id. Tests are somebody else.
var ownUID = os.Getuid

// Temp is the path of the user's own folder among the temporary files, which may not
// exist.
func TempFolder() string { return filepath.Join(os.TempDir(), "wiretea-"+strconv.Itoa(os.Getuid())) }

// Make makes a folder, with those above it, and checks one that is there: it is an error
// if it belongs to another user, is open to others, or is a symbolic link.
func MakeFolder(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return CheckFolder(path)
}

// Check returns why a folder is not the user's alone, nil if it is.
func CheckFolder(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", path)
	case !ok || int(stat.Uid) != ownUID():
		return fmt.Errorf("the folder %s belongs to another user", path)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("the folder %s is open to others: chmod 700 closes it", path)
	}
	return nil
}
