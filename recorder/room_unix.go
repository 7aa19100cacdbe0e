//go:build linux || darwin || freebsd

package recorder

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Room is limited's.
func (f osFile) Room() (free, spare int64, ok bool) {
	var st unix.Statfs_t
	if unix.Fstatfs(int(f.Fd()), &st) != nil || st.Blocks == 0 {
		return 0, 0, false
	}
	blocks := int64(st.Bavail)
	if os.Geteuid() == 0 {
		blocks = int64(st.Bfree)
	}
	size := int64(st.Bsize)
	return blocks * size, min(maxSpare, int64(st.Blocks)*size/20), true
}

// Deleted reports whether the file has no name any more: it goes with the process.
func (f osFile) Deleted() bool {
	info, err := f.Stat()
	if err != nil {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink == 0
}
