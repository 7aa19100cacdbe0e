package transport

import (
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownFDs lists the descriptors of the process that reads it.
const ownFDs = "/proc/self/fd"

// ourProgram leads to this program even where its file was replaced since.
func ourProgram() (string, error) { return "/proc/self/exe", nil }

// startOf returns when a process began, and the number of its parent.
func startOf(pid int) (began string, parent int, err error) {
	p, ok := lookUp(pid)
	if !ok || p.ended {
		return "", 0, os.ErrProcessDone
	}
	return strconv.Itoa(p.began), p.parent, nil
}

// canDieWithUs: a tee needs no guard.
const canDieWithUs = true

// dieWithUs has the system kill a process when the thread that starts it ends, and
// nothing of what that process starts. It does not apply to a program that runs with
// other rights than ours, which a client cannot kill either.
func dieWithUs(attr *syscall.SysProcAttr) { attr.Pdeathsig = unix.SIGKILL }
