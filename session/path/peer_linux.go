package path

import "golang.org/x/sys/unix"

// peerUID returns the user of the process at the other end of a socket.
func peerUID(fd int) (uid int, ok bool) {
	peer, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, false
	}
	return int(peer.Uid), true
}
