//go:build unix

package watch

import (
	"os"
	"os/exec"
	"syscall"
)

// buildShell is what a build command is given to.
var buildShell = []string{"sh", "-c"}

// ofItsOwn gives a build a session of its own, without our terminal, and ends its
// whole group when it is given up.
func ofItsOwn(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}

// killGroup ends what is left of a build that was given up.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // mostly nobody is left
	}
}

// signalOf names the signal that ended a process, as in killed; empty = none did.
func signalOf(state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal().String()
	}
	return ""
}
