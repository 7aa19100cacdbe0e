//go:build darwin || freebsd

package path

import "golang.org/x/sys/unix"

// peerUID returns the user of the process at the other end of a socket.
func peerUID(fd int) (uid int, ok bool) {
	const solLocal = 0 // SOL_LOCAL, the level of a local socket's options
	peer, err := unix.GetsockoptXucred(fd, solLocal, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, false
	}
	return int(peer.Uid), true
}
