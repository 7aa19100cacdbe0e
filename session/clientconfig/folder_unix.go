//go:build unix

package clientconfig

import (
	"errors"

	"golang.org/x/sys/unix"
)

// mayReplaceIn reports whether files in a folder can be put there and removed. It
// is the system that says so: of a folder that anybody may write on a medium that
// nobody may, too.
func mayReplaceIn(folder string) bool {
	err := unix.Faccessat(unix.AT_FDCWD, folder, unix.W_OK|unix.X_OK, unix.AT_EACCESS)
	// What cannot be told is tried.
	return !errors.Is(err, unix.EACCES) && !errors.Is(err, unix.EROFS)
}
