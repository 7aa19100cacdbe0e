//go:build unix && !solaris && !aix && !illumos

package recorder

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// lockFile takes the writer's lock on a file that this process has just opened.
// It does not wait. An error means that locks do not work here, or that
// another process writes the file.
func lockFile(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }

// unlockFile gives the writer's lock back before the file is closed.
func unlockFile(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) }

// probeLock asks whether a writer holds the lock. f must be a descriptor of its
// own, opened apart from the writer's. The shared lock it takes is given back at
// once and never keeps out another reader.
func probeLock(f *os.File) Liveness {
	switch err := unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB); err {
	case nil:
		unix.Flock(int(f.Fd()), unix.LOCK_UN)
		return NotLive
	case syscall.EWOULDBLOCK:
		return Live
	}
	return LivenessUnknown
}
