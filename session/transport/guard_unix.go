//go:build linux || darwin

package transport

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// shutDescriptors keeps what our client let us inherit besides 0, 1 and 2 from the
// programs that are started from now on: it was meant for the server.
func shutDescriptors() {
	dir, err := os.Open(ownFDs)
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if fd, err := strconv.Atoi(name); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}

func isPipe(fd int) bool {
	var st unix.Stat_t
	return unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFIFO
}

// awaitEOF reads until a stream has ended.
func awaitEOF(fd int) {
	buf := make([]byte, 16)
	for {
		n, err := unix.Read(fd, buf)
		if n == 0 && err == nil || err != nil && err != unix.EINTR && err != unix.EAGAIN {
			return
		}
	}
}
