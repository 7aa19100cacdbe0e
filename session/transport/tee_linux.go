package transport

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

const getTermios = unix.TCGETS

// restoreDefault makes a signal do what it does in any program, the runtime's
// handlers aside.
func restoreDefault(sig syscall.Signal) {
	var action [64]byte // All zero: SIG_DFL, no flags, an empty mask.
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&action)), 0, 8, 0, 0)
}

// adopt makes every process that the server leaves behind a child of ours, so that it
// can be found. Where the system refuses, it is not found.
func adopt() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// A reaper waits for the processes that became ours because their parents ended.
type reaper struct {
	bell chan os.Signal
	work sync.WaitGroup
}

// reap waits for all children that end, except the server, which Child waits for.
func reap(server int) io.Closer {
	r := &reaper{bell: make(chan os.Signal, 1)}
	signal.Notify(r.bell, unix.SIGCHLD)
	r.work.Go(func() {
		for range r.bell {
			for _, p := range processes() {
				if p.parent == os.Getpid() && p.ended && p.pid != server {
					_, _ = unix.Wait4(p.pid, nil, unix.WNOHANG, nil)
				}
			}
		}
	})
	return r
}

// Close ends the reaper.
func (r *reaper) Close() error {
	signal.Stop(r.bell)
	close(r.bell)
	r.work.Wait()
	return nil
}

// leftovers returns the living processes of our group that the server, which has
// been waited for, left behind.
func leftovers() []int {
	for {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		switch {
		case pid > 0 || errors.Is(err, unix.EINTR):
		case err != nil:
			return nil // We have no children.
		default:
			return below(processes(), os.Getpid(), unix.Getpgrp())
		}
	}
}

// below returns the living descendants of a process that are in a group.
func below(all []process, root, group int) []int {
	children := map[int][]process{}
	for _, p := range all {
		children[p.parent] = append(children[p.parent], p)
	}
	var found []int
	for next := children[root]; len(next) > 0; {
		p := next[0]
		next = append(next[1:len(next):len(next)], children[p.pid]...)
		if !p.ended && p.group == group {
			found = append(found, p.pid)
		}
	}
	return found
}
