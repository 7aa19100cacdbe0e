package transport

import (
	"os"
	"syscall"
)

const (
	canTerm = false // A process cannot be asked to end,
	canStop = false // nor to pause.
)

func (c *Child) pause(bool) {}

func sysProcAttr(Group) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true}
}

func exitOf(state *os.ProcessState) Exit { return Exit{Code: state.ExitCode()} }

func (c *Child) signal(syscall.Signal) error { return c.proc.Kill() }

// inOurGroup is true: a console sends its signals to all its processes.
func (c *Child) inOurGroup() bool { return true }

func signalPID(int, syscall.Signal) {}

// processesOfSession returns nothing: there are no sessions of processes here.
func processesOfSession(int) []int { return nil }
