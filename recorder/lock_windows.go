package recorder

import (
	"os"

	"golang.org/x/sys/windows"
)

// lockAt is where the one locked byte lies: beyond every file's end, because
// locks of Windows keep others from reading what they cover.
const lockAt = 0x7fffffff

func lockRange() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: lockAt} }

// lockFile takes the writer's lock without waiting.
func lockFile(f *os.File) error {
	flags := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY)
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, lockRange())
}

// unlockFile gives the writer's lock back before the file is closed.
func unlockFile(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, lockRange())
}

// probeLock asks whether a writer holds the lock.
func probeLock(f *os.File) Liveness {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, lockRange())
	switch err {
	case nil:
		windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, lockRange())
		return NotLive
	case windows.ERROR_LOCK_VIOLATION:
		return Live
	}
	return LivenessUnknown
}
