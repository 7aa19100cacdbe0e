//go:build unix

package transport

import (
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// forwarded are the signals that a Tee forwards.
var forwarded = []os.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2}

// ending are those of them that ask a program to end.
var ending = []os.Signal{unix.SIGINT, unix.SIGQUIT, unix.SIGTERM}

// ignored are those of them that this process was started to ignore, as by nohup.
var ignored = func() (all []os.Signal) {
	for _, sig := range forwarded {
		if signal.Ignored(sig) {
			all = append(all, sig)
		}
	}
	return all
}()

// keepIgnored has the server start to ignore the signals that this process was started to
// ignore.
func keepIgnored() {
	if len(ignored) > 0 {
		signal.Ignore(ignored...)
	}
}

// catch receives the signals that are forwarded.
func catch(c chan<- os.Signal) {
	for _, sig := range forwarded {
		if !slices.Contains(ignored, sig) {
			signal.Notify(c, sig)
		}
	}
}

// A clientEnd is the client's end of a tee: duplicates of what it gave us.
type clientEnd struct {
	in, out, err *FD
	kinds        [3]FDKind
}

// inherit duplicates the descriptors 0, 1 and 2.
func inherit() (*clientEnd, error) {
	c := &clientEnd{}
	var made []*FD
	for i, end := range []**FD{&c.in, &c.out, &c.err} {
		// What children inherit stays below 3, and no number is used twice.
		fd, err := unix.FcntlInt(uintptr(i), unix.F_DUPFD_CLOEXEC, 3)
		if err != nil {
			err = os.NewSyscallError("dup", err)
		} else if *end, err = NewFD(fd, false); err != nil {
			unix.Close(fd)
		}
		if err != nil {
			for _, f := range made {
				f.Close()
			}
			return nil, err
		}
		made = append(made, *end)
		c.kinds[i] = kindOf(i)
	}
	return c, nil
}

// clientLog returns a duplicate of the client's stderr, nil where there cannot be one.
func clientLog() *os.File {
	fd, err := unix.FcntlInt(2, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil
	}
	return os.NewFile(uintptr(fd), "stderr")
}

// kindOf is what a server is given in place of a descriptor of ours: a socket for
// a socket, else a pipe.
func kindOf(fd int) FDKind {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFSOCK {
		return Socket
	}
	return Pipe
}

// takeOver makes 0, 1 and 2 the null device, so that only the relays hold the client's
// ends: what they close is closed.
func (c *clientEnd) takeOver() error {
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: "/dev/null", Err: err}
	}
	defer unix.Close(null)
	for fd := range 3 {
		if err := unix.Dup2(null, fd); err != nil {
			return os.NewSyscallError("dup2", err)
		}
	}
	return nil
}

// fromTerminal reports whether a signal came from a key: then the terminal has sent it
// to its whole foreground group, which is ours and the server's. The system does not
// tell where a signal comes from: it is assumed when a terminal would send one to us.
func fromTerminal(sig os.Signal) bool {
	if sig != unix.SIGINT && sig != unix.SIGQUIT {
		return false
	}
	tty, err := unix.Open("/dev/tty", unix.O_RDONLY|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(tty)
	group, err := unix.IoctlGetInt(tty, unix.TIOCGPGRP)
	if err != nil || group != unix.Getpgrp() {
		return false
	}
	mode, err := unix.IoctlGetTermios(tty, getTermios)
	return err == nil && mode.Lflag&unix.ISIG != 0
}

func signalName(sig os.Signal) string {
	if s, ok := sig.(syscall.Signal); ok {
		if name := unix.SignalName(s); name != "" {
			return name
		}
	}
	return sig.String()
}

// Quit ends this process as the server ended: with its code, or by its signal. It
// does not return.
func (e Exit) Quit() {
	if sig := unix.SignalNum(e.Signal); sig != 0 {
		// The server has left a core file, if any.
		_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
		restoreDefault(sig)
		if err := unix.Kill(unix.Getpid(), sig); err == nil {
			// It may reach another thread.
			time.Sleep(time.Second)
		}
		os.Exit(128 + int(sig))
	}
	if e.Signal != "" {
		os.Exit(128 + int(unix.SIGKILL))
	}
	os.Exit(e.Code)
}
