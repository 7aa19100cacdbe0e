package recorder

import (
	"os"

	"golang.org/x/sys/unix"
)

// datasync brings a file's data to the disk, without waiting for its times.
func datasync(f *os.File) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	if cerr := conn.Control(func(fd uintptr) { err = unix.Fdatasync(int(fd)) }); cerr != nil {
		return cerr
	}
	return err
}
