package recorder

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// niceness is how much lower the priority is than that of the process: it gets a tenth of
// what the other threads get of a busy CPU. The thread does not preempt others when it is
// woken either, and its slice is longer than the ordinary one, of about 3 ms at most (Linux
// 6.12; before, none can be asked for), so that a thread with that preempts it at once. It is
// not much longer: a thread waits until it has fallen behind by its slice. With one of 100 ms,
// and 16 busy threads on two CPUs, the end of a tee took 0.3 s, and one of 50 tees lost the end
// of its record; with 4 ms it takes 0.1 s, at most 0.24 s.
//
// Measured with rounds of 1,000 round trips of 10 kB through a tee on two CPUs that do nothing
// else, where the copying wrapper has a p99 of 101 µs: it is 340 µs with a niceness of 5
// alone, 147 µs with 10, the policy and the slice, 109 µs with 19. With 19 a flood on a busy
// machine leaves the recorder so little that most of it is recorded in bulk.
const (
	niceness = 10
	slice    = 4 * time.Millisecond
)

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
		if attr, err := unix.SchedGetAttr(0, 0); err == nil {
			attr.Policy, attr.Runtime = unix.SCHED_BATCH, uint64(slice)
			_ = unix.SchedSetAttr(0, attr, 0) // A sandbox may not know it.
		}
		return true
	}
	runtime.UnlockOSThread()
	return false
}

// giveWay lets the traffic's threads go first that wait for this CPU. A thread that has used up
// its part waits behind one with a lower priority. Linux asks who is next only when a thread wakes
// up or at a tick, and does not interrupt a write into its cache, even if another CPU is idle;
// sched_yield asks it.
//
// Measured with .ci/bench tee on two CPUs, as in lowerPriority's rounds: the p99 is 2.1 times the
// median, as that of the wrapper, and 2.4 times without.
func giveWay() { _, _, _ = unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }
