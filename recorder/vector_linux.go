package recorder

import (
	"os"

	"golang.org/x/sys/unix"
)

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
