//go:build darwin || freebsd

package control

import (
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// sameUser reports whether the process on the other end is the user's, as the
// system says.
func sameUser(conn *net.UnixConn) bool {
	raw, err := conn.SyscallConn()
	if err != nil {
		return false
	}
	same := false
	err = raw.Control(func(fd uintptr) {
		peer, err := unix.GetsockoptXucred(int(fd), solLocal, unix.LOCAL_PEERCRED)
		same = err == nil && int(peer.Uid) == os.Getuid()
	})
	return err == nil && same
}

// solLocal is the level of options of a local socket, SOL_LOCAL.
const solLocal = 0
