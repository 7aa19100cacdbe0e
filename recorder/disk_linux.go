package recorder

import (
	"os"

	"golang.org/x/sys/unix"
)

// keptCached is how much of a file's end the system is asked to keep in memory, in bytes:
// what somebody who follows the session reads.
const keptCached = 256 << 20

// datasync brings a file's data to the disk, without waiting for its times. The data
// is written first, separately: while the file system's journal waits for data, all
// writers wait.
//
// What is on the disk and far behind the end leaves the system's cache. A flood would fill
// the memory with it otherwise, and each write would have to find more memory, which costs
// several times as much as the write itself.
func datasync(f *os.File) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	cerr := conn.Control(func(fd uintptr) {
		var stat unix.Stat_t
		old := int64(0)
		if unix.Fstat(int(fd), &stat) == nil {
			old = stat.Size - keptCached
		}
		// Where this cannot be done, the sync does all of it, or says why not.
		_ = unix.SyncFileRange(int(fd), 0, 0, unix.SYNC_FILE_RANGE_WAIT_BEFORE|unix.SYNC_FILE_RANGE_WRITE|unix.SYNC_FILE_RANGE_WAIT_AFTER)
		if err = unix.Fdatasync(int(fd)); err == nil && old > 0 {
			_ = unix.Fadvise(int(fd), 0, old, unix.FADV_DONTNEED)
		}
	})
	if cerr != nil {
		return cerr
	}
	return err
}

// writeVector writes parts one behind the other from an offset on, in one system
// call.
func writeVector(f *os.File, parts [][]byte, off int64) (n int, err error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return 0, err
	}
	cerr := conn.Control(func(fd uintptr) {
		for n, err = unix.Pwritev(int(fd), parts, off); err == unix.EINTR; {
			n, err = unix.Pwritev(int(fd), parts, off)
		}
	})
	if cerr != nil {
		return 0, cerr
	}
	return n, err
}
