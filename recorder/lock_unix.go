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
func lockFile(f *os.File) error { return flock(f, unix.LOCK_EX|unix.LOCK_NB) }

// unlockFile gives the writer's lock back before the file is closed.
func unlockFile(f *os.File) error { return flock(f, unix.LOCK_UN) }

// flock keeps the descriptor open meanwhile: the file may be closed by somebody else.
func flock(f *os.File, how int) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	if cerr := conn.Control(func(fd uintptr) { err = unix.Flock(int(fd), how) }); cerr != nil {
		return cerr
	}
	return err
}

// probeLock asks whether a writer holds the lock. f must be a descriptor of its
// own, opened apart from the writer's. The shared lock it takes is given back at
// once and never keeps out another reader.
func probeLock(f *os.File) Liveness {
	switch err := flock(f, unix.LOCK_SH|unix.LOCK_NB); err {
	case nil:
		_ = unlockFile(f)
		return NotLive
	case syscall.EWOULDBLOCK:
		return Live
	}
	return LivenessUnknown
}
