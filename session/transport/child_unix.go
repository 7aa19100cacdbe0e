//go:build unix

package transport

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const canTerm = true

func sysProcAttr(g Group) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: g == OwnSession}
}

func exitOf(state *os.ProcessState) Exit {
	ws, ok := state.Sys().(syscall.WaitStatus)
	if ok && ws.Signaled() {
		name := unix.SignalName(ws.Signal())
		if name == "" {
			name = ws.Signal().String()
		}
		return Exit{Code: -1, Signal: name}
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
func (c *Child) signal(sig Signal) error {
	if c.group == OwnSession {
		return unix.Kill(-c.PID(), sig.number())
	}
	return c.proc.Signal(sig.number())
}

func (s Signal) number() syscall.Signal {
	if s == Term {
		return unix.SIGTERM
	}
	return unix.SIGKILL
}

// signalPID signals one process. One that has ended since is no error.
func signalPID(pid int, sig Signal) { _ = unix.Kill(pid, sig.number()) }
