//go:build unix

package clientconfig

import (
	"io/fs"
	"os"
	"syscall"
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
		return "the file has hard links, which would part"
	}
	return ""
}
