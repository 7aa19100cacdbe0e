//go:build unix

package path

import (
	"net"
	"os"
	"sync/atomic"
)

// uidOffset is added to the user's id: tests are somebody else.
var uidOffset atomic.Int64

// ownUID is the user's id.
func ownUID() int { return os.Getuid() + int(uidOffset.Load()) }

// sameUser reports whether the process at the other end belongs to the same user.
// The system says so, not the process.
func sameUser(conn *net.UnixConn) bool {
	raw, err := conn.SyscallConn()
	if err != nil {
		return false
	}
	same := false
	err = raw.Control(func(fd uintptr) {
		uid, ok := peerUID(int(fd))
		same = ok && uid == ownUID()
	})
	return err == nil && same
}
