//go:build unix

package clientconfig

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// notReplaceable says what replacing a file by rename would lose; empty =
// nothing.
func notReplaceable(info fs.FileInfo) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return ""
	case int(stat.Uid) != os.Geteuid():
		return "the file belongs to another user"
	case stat.Nlink > 1:
		return "the file has hard links, which would no longer name the same file"
	}
	return ""
}

// mayReplaceIn reports whether files in a folder can be created and removed. The
// system knows it also of a writable folder on a read-only medium.
func mayReplaceIn(folder string) bool {
	err := unix.Faccessat(unix.AT_FDCWD, folder, unix.W_OK|unix.X_OK, unix.AT_EACCESS)
	// Any other error does not tell: then it is tried.
	return !errors.Is(err, unix.EACCES) && !errors.Is(err, unix.EROFS)
}
