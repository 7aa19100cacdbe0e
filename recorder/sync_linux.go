package recorder

import (
	"os"

	"golang.org/x/sys/unix"
)

// datasync brings a file's data to the disk, without waiting for its times. The data
// is written first, separately: while the file system's journal waits for data, all
// writers wait.
func datasync(f *os.File) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	cerr := conn.Control(func(fd uintptr) {
		// Where this cannot be done, the sync does all of it, or says why not.
		_ = unix.SyncFileRange(int(fd), 0, 0, unix.SYNC_FILE_RANGE_WAIT_BEFORE|unix.SYNC_FILE_RANGE_WRITE|unix.SYNC_FILE_RANGE_WAIT_AFTER)
		err = unix.Fdatasync(int(fd))
	})
	if cerr != nil {
		return cerr
	}
	return err
}
