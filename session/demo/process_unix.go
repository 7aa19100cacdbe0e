//go:build unix

package demo

import (
	"os/exec"
	"os/signal"
	"syscall"
)

// ignoreTerm makes the process deaf to SIGTERM.
func ignoreTerm(*server) { signal.Ignore(syscall.SIGTERM) }

// detach gives a child a session of its own, out of reach of signals to the
// server's process group.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
