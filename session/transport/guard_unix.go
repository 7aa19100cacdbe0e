//go:build linux || darwin

package transport

import (
	"os"
	"os/signal"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// identify returns what tells a guard which process the server is: its number and
// when it began. Another process may have the number later.
func identify(server int) (id string, err error) {
	began, parent, err := startOf(server)
	if err == nil && parent != os.Getpid() {
		err = os.ErrProcessDone
	}
	return strconv.Itoa(server) + "@" + began, err
}

// Guard is the guard's main function, in a process that a Tee started with these
// arguments after its own: it waits for the end of the tee, and kills the server if
// that still runs, and nothing that the server started. It returns an exit code, 2 where
// no tee has started it.
func Guard(args []string) int {
	number, began, ok := strings.Cut(strings.Join(args, " "), "@")
	pid, err := strconv.Atoi(number)
	if !ok || err != nil || pid <= 0 || !isPipe(0) {
		return 2
	}
	signal.Ignore(forwarded...)
	awaitEOF(0)
	if now, _, err := startOf(pid); err != nil || now != began {
		return 0
	}
	_ = unix.Kill(pid, unix.SIGKILL)
	return 0
}

// shutDescriptors keeps what our client let us inherit besides 0, 1 and 2 from the
// programs that are started from now on: it was meant for the server.
func shutDescriptors() {
	dir, err := os.Open(ownFDs)
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if fd, err := strconv.Atoi(name); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}

func isPipe(fd int) bool {
	var st unix.Stat_t
	return unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFIFO
}

// awaitEOF reads until a stream has ended.
func awaitEOF(fd int) {
	buf := make([]byte, 16)
	for {
		n, err := unix.Read(fd, buf)
		if n == 0 && err == nil || err != nil && err != unix.EINTR && err != unix.EAGAIN {
			return
		}
	}
}
