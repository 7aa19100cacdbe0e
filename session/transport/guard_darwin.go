package transport

import (
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// ownFDs lists the descriptors of the process that reads it.
const ownFDs = "/dev/fd"

func ourProgram() (string, error) { return os.Executable() }

// identify returns what tells a guard which process the server is: its number, and
// when it began, which tells it from another that has the number later.
func identify(server *Child) (id string, held []*os.File, err error) {
	began, parent, err := startOf(server.PID())
	if err == nil && parent != os.Getpid() {
		err = os.ErrProcessDone
	}
	return fmt.Sprintf("%d@%s", server.PID(), began), nil, err
}

// startOf is when a process began, and the number of its parent.
func startOf(pid int) (began string, parent int, err error) {
	proc, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return "", 0, os.NewSyscallError("sysctl", err)
	}
	at := proc.Proc.P_starttime
	return fmt.Sprintf("%d.%06d", at.Sec, at.Usec), int(proc.Eproc.Ppid), nil
}

// Guard is the whole of a guard, in a process that a Tee started with these
// arguments behind its own: it waits for the end of the tee, and ends the server
// where that still runs. It returns an exit code.
func Guard(args []string) int {
	if len(args) != 1 || !isPipe(0) {
		return 2
	}
	number, began, _ := strings.Cut(args[0], "@")
	pid, err := strconv.Atoi(number)
	if err != nil || pid <= 0 {
		return 2
	}
	signal.Ignore(forwarded...)
	awaitEOF(0)
	if now, _, err := startOf(pid); err == nil && now == began {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
	return 0
}
