//go:build unix

package transport

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	canTerm = true
	canStop = true
)

func sysProcAttr(g Group) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: g == OwnSession}
	if g == Inherit {
		dieWithUs(attr)
	}
	return attr
}

func exitOf(state *os.ProcessState) Exit {
	ws, ok := state.Sys().(syscall.WaitStatus)
	if ok && ws.Signaled() {
		return Exit{Code: -1, Signal: signalName(ws.Signal())}
	}
	return Exit{Code: state.ExitCode()}
}

// inOurGroup reports whether the process is in our process group; it has not been
// waited for.
func (c *Child) inOurGroup() bool {
	group, err := unix.Getpgid(c.PID())
	return err == nil && group == unix.Getpgrp()
}

// signal sends a signal; the process has not been waited for.
func (c *Child) signal(sig syscall.Signal) error {
	if c.group == OwnSession {
		return unix.Kill(-c.PID(), sig)
	}
	return c.proc.Signal(sig)
}

// pause stops the process or lets it go on; it has not been waited for.
func (c *Child) pause(stop bool) {
	sig := syscall.SIGCONT
	if stop {
		sig = syscall.SIGSTOP
	}
	_ = c.signal(sig) // It may have ended in the same moment.
}

// signalPID signals one process, which may have ended.
func signalPID(pid int, sig syscall.Signal) { _ = unix.Kill(pid, sig) }
