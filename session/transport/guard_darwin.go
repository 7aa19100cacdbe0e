package transport

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// ownFDs lists the descriptors of the process that reads it.
const ownFDs = "/dev/fd"

func ourProgram() (string, error) { return os.Executable() }

// startOf returns when a process began, and the number of its parent.
func startOf(pid int) (began string, parent int, err error) {
	proc, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return "", 0, os.NewSyscallError("sysctl", err)
	}
	at := proc.Proc.P_starttime
	return fmt.Sprintf("%d.%06d", at.Sec, at.Usec), int(proc.Eproc.Ppid), nil
}
