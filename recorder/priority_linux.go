package recorder

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// niceness is how much lower the priority is than that of the process: it gets a third of
// what the other threads get of a busy CPU.
//
// Measured with .ci/bench tee on two CPUs with much other work, medians of few rounds: with
// 5 and 10 the longest round trips of a tee, p99 and p99.9, come down to a half and less.
// With 19 a flood fills the memory (90 MB in place of 50): the recorder must get a CPU to
// notice that much waits. SCHED_IDLE is worse still.
const niceness = 5

// lowerPriority gives the calling goroutine a thread of its own with a low priority, until
// the goroutine ends. It reports false where that cannot be done. On Linux a priority
// belongs to a thread.
func lowerPriority() bool {
	runtime.LockOSThread()
	// The system call returns 20 minus the nice value, so that it is never negative.
	own, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err == nil {
		err = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), 20-own+niceness)
	}
	if err == nil {
		return true
	}
	runtime.UnlockOSThread()
	return false
}
