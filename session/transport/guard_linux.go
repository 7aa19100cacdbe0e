package transport

import (
	"errors"
	"os"
	"os/signal"
	"strconv"

	"golang.org/x/sys/unix"
)

// serverFD is the number under which a guard has the server's pidfd.
const serverFD = 3

// ownFDs lists the descriptors of the process that reads it.
const ownFDs = "/proc/self/fd"

// ourProgram leads to this program even where its file was replaced since.
func ourProgram() (string, error) { return "/proc/self/exe", nil }

// identify returns what tells a guard which process the server is: its number, which
// may become another's, and a pidfd, which cannot.
func identify(server *Child) (id string, held []*os.File, err error) {
	var failed error
	err = server.proc.WithHandle(func(handle uintptr) {
		fd, err := unix.FcntlInt(handle, unix.F_DUPFD_CLOEXEC, serverFD)
		if err != nil {
			failed = os.NewSyscallError("fcntl", err)
			return
		}
		held = []*os.File{os.NewFile(uintptr(fd), "server")}
	})
	return strconv.Itoa(server.PID()), held, errors.Join(err, failed)
}

// Guard is the whole of a guard, in a process that a Tee started with these
// arguments behind its own: it waits for the end of the tee, and ends the server
// where that still runs, with the processes below it in the group. It returns an
// exit code.
func Guard(args []string) int {
	server, ok := guarded(args)
	if !ok {
		return 2
	}
	signal.Ignore(forwarded...)
	awaitEOF(0)
	if !runs(serverFD) {
		return 0
	}
	below := holdBelow(server)
	_ = unix.PidfdSendSignal(serverFD, unix.SIGKILL, nil, 0)
	for _, fd := range below {
		_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
	}
	return 0
}

// guarded returns the server's number. It fails where no tee has started us.
func guarded(args []string) (pid int, ok bool) {
	if len(args) != 1 {
		return 0, false
	}
	pid, err := strconv.Atoi(args[0])
	ended := unix.PidfdSendSignal(serverFD, 0, nil, 0)
	return pid, err == nil && isPipe(0) && (ended == nil || ended == unix.ESRCH)
}

// runs reports whether the process of a pidfd has not ended.
func runs(pidfd int) bool {
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}, 0)
		if err != unix.EINTR && err != unix.EAGAIN {
			return err == nil && n == 0
		}
	}
}

// holdBelow returns pidfds of the processes below one, which runs, in our group.
func holdBelow(root int) (held []int) {
	fds := map[int]int{}
	for _, pid := range below(processes(0), root, unix.Getpgrp()) {
		if fd, err := unix.PidfdOpen(pid, 0); err == nil {
			fds[pid] = fd
		}
	}
	// What is still there has not passed its number on in between.
	for _, pid := range below(processes(0), root, unix.Getpgrp()) {
		if fd, ok := fds[pid]; ok {
			held = append(held, fd)
		}
	}
	return held
}
