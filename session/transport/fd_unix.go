//go:build unix

package transport

import (
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// An FD is one end of a pipe or socket, read and written with plain system calls
// outside the runtime's poller, which costs several times as much. One goroutine
// reads, or some write; Close may come from another one and ends a call in progress,
// save a Write to a descriptor that is not ours alone.
type FD struct {
	fd    int
	wake  [2]int // wake is a pipe whose writing end is closed to end a poll.
	peer  *FD    // peer is watched for hang-up while reading; nil = none.
	polls [3]unix.PollFd

	blocked blockedRead
	watch   atomic.Int32 // watch is the number under which this end's reader is watched; 0 = it is not.

	// state counts the calls in progress, plus closing once Close was called.
	// The call that brings it to exactly closing closes the descriptor.
	state atomic.Int32
}

const closing = 1 << 16

// NewFD takes ownership of a descriptor. Alone says that no other process holds a
// duplicate, so that it may be set to O_NONBLOCK; a Write can then be ended by Close.
// An inherited descriptor is never alone.
func NewFD(fd int, alone bool) (*FD, error) {
	if alone {
		if err := unix.SetNonblock(fd, true); err != nil {
			return nil, os.NewSyscallError("fcntl", err)
		}
	}
	r, w, err := pipe(Pipe)
	if err != nil {
		return nil, err
	}
	return &FD{fd: fd, wake: [2]int{r, w}}, nil
}

// WatchPeer makes Read return ErrHangup when the reader behind dst has closed its
// end while nothing is left to read here. Call it before the first Read.
func (f *FD) WatchPeer(dst *FD) { f.peer = dst }

// Read waits for bytes, then reads once. After Close it returns os.ErrClosed.
func (f *FD) Read(p []byte) (int, error) {
	if !f.enter() {
		return 0, os.ErrClosed
	}
	defer f.leave()
	if len(p) == 0 {
		return 0, nil
	}
	for poll := false; ; {
		parked := !poll && f.blockRead()
		if !parked {
			if err := f.awaitRead(); err != nil {
				return 0, err
			}
		}
		n, err := unix.Read(f.fd, p)
		if parked {
			f.unblockRead()
		}
		switch {
		case err == unix.EINTR:
		case err == unix.EAGAIN:
			poll = true // Another process has made it non-blocking.
		case err != nil:
			return 0, os.NewSyscallError("read", err)
		case n == 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

// awaitRead waits until a read would not block. What there is to read goes before
// Close, and before the peer's hang-up.
func (f *FD) awaitRead() error {
	polls := append(f.polls[:0],
		unix.PollFd{Fd: int32(f.fd), Events: unix.POLLIN},
		unix.PollFd{Fd: int32(f.wake[0])})
	if f.peer != nil && f.peer.enter() {
		defer f.peer.leave()
		polls = append(polls, unix.PollFd{Fd: int32(f.peer.fd)})
	}
	if err := poll(polls); err != nil {
		return err
	}
	switch {
	case polls[0].Revents != 0:
		return nil
	case polls[1].Revents != 0:
		return os.ErrClosed
	default:
		return ErrHangup
	}
}

// Write writes all of p, unless the reader goes away or Close is called; it
// returns how many bytes were written.
func (f *FD) Write(p []byte) (int, error) {
	if !f.enter() {
		return 0, os.ErrClosed
	}
	defer f.leave()
	done := 0
	for done < len(p) {
		n, err := unix.Write(f.fd, p[done:])
		done += max(n, 0)
		switch err {
		case nil, unix.EINTR:
		case unix.EAGAIN:
			if err := f.awaitWrite(); err != nil {
				return done, err
			}
		default:
			return done, os.NewSyscallError("write", err)
		}
	}
	return done, nil
}

func (f *FD) awaitWrite() error {
	// Not f.polls: several may write.
	polls := []unix.PollFd{{Fd: int32(f.fd), Events: unix.POLLOUT}, {Fd: int32(f.wake[0])}}
	if err := poll(polls); err != nil {
		return err
	}
	if polls[1].Revents != 0 {
		return os.ErrClosed
	}
	return nil
}

// Close closes the descriptor once the call in progress has returned, and makes
// it return.
func (f *FD) Close() error {
	if !f.mayClose() {
		return os.ErrClosed
	}
	unix.Close(f.wake[1])
	f.interrupt()
	f.leave()
	return nil
}

func (f *FD) enter() bool {
	if f.state.Add(1)&closing == 0 {
		return true
	}
	f.leave()
	return false
}

func (f *FD) leave() {
	if f.state.Add(-1) == closing && f.state.CompareAndSwap(closing, closing|closing<<1) {
		f.unwatch()
		unix.Close(f.fd)
		unix.Close(f.wake[0])
	}
}

// mayClose marks the descriptor as closing and holds it; false where it was
// closed before.
func (f *FD) mayClose() bool {
	for {
		s := f.state.Load()
		if s&closing != 0 {
			return false
		}
		if f.state.CompareAndSwap(s, s+closing+1) {
			return true
		}
	}
}

// poll waits, for ever, for one of the events.
func poll(fds []unix.PollFd) error {
	for {
		_, err := unix.Poll(fds, -1)
		switch err {
		case nil:
			return nil
		case unix.EINTR, unix.EAGAIN:
		default:
			return os.NewSyscallError("poll", err)
		}
	}
}

// pipe returns a pipe, or a pair of sockets, that children do not inherit.
func pipe(kind FDKind) (r, w int, err error) {
	var p [2]int
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	switch kind {
	case Pipe:
		err = os.NewSyscallError("pipe", syscall.Pipe(p[:]))
	case Socket:
		p, err = syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
		err = os.NewSyscallError("socketpair", err)
	}
	if err != nil {
		return -1, -1, err
	}
	syscall.CloseOnExec(p[0])
	syscall.CloseOnExec(p[1])
	return p[0], p[1], nil
}

// newPipe returns a pipe or a pair of sockets: our end, for a relay, which writes or
// reads it, and the other end. A write to ours can be ended by Close. Where the other
// end stays in this process, its calls can be ended by Close too.
func newPipe(kind FDKind, weWrite, inProcess bool) (ours io.ReadWriteCloser, theirs *os.File, err error) {
	r, w, err := pipe(kind)
	if err != nil {
		return nil, nil, err
	}
	our, their := r, w
	if weWrite {
		our, their = w, r
	}
	fd, err := NewFD(our, weWrite)
	if err != nil {
		unix.Close(our)
		unix.Close(their)
		return nil, nil, err
	}
	if inProcess {
		if err := unix.SetNonblock(their, true); err != nil {
			fd.Close()
			unix.Close(their)
			return nil, nil, os.NewSyscallError("fcntl", err)
		}
	}
	return fd, os.NewFile(uintptr(their), "|"), nil
}

// watchPeer lets src notice that the reader behind dst went away.
func watchPeer(src io.ReadCloser, dst io.WriteCloser) {
	s, ok1 := src.(*FD)
	d, ok2 := dst.(*FD)
	if ok1 && ok2 {
		s.WatchPeer(d)
	}
}

// writable reports whether a write to dst would not block at once, or would fail, at most
// after a time.
func writable(dst io.WriteCloser, wait time.Duration) bool {
	ready, known := poll1(dst, unix.POLLOUT, wait)
	return ready || !known
}

// pending reports whether a read from src would return at once.
func pending(src io.ReadCloser) bool {
	ready, _ := poll1(src, unix.POLLIN, 0)
	return ready
}

// poll1 reports whether an event is there, at most after a time, and whether that can be told.
func poll1(end any, event int16, wait time.Duration) (ready, known bool) {
	f, ok := end.(*FD)
	if !ok || !f.enter() {
		return false, false
	}
	defer f.leave()
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(f.fd), Events: event}}, int(wait.Milliseconds()))
	return n > 0, err == nil || err == unix.EINTR // A signal finds nothing ready.
}
