package transport

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"wiretea/session/lazy"
)

// A poll before each read costs a relay as much as all else that it does for a short
// chunk. So the thread of a relay blocks in the read itself, and a signal to the
// thread ends the call when the relay is to do something else.
//
// Measured with .ci/bench tee on two busy cores, as ratios to a wrapper that only
// copies, blocking and polling: the median round trip of 200 bytes on one CPU takes
// 1.02× and 1.20×, of 10 kB 1.20× and 1.40×; a flood of 200-byte messages on two CPUs
// reaches 0.91 and 0.69, of 10 kB 0.63 and 0.48.
//
// It depends on the runtime keeping its handler for SIGIO installed: tested with Go
// 1.26. Where the handler cannot be changed, the relay polls.

// wakeUp is that signal: the runtime handles it and nothing here uses it. A real-time
// signal would not do: sending one fails where the user's signals queue up, and each
// repetition would be delivered.
const wakeUp = unix.SIGIO

// interrupting makes the signal end a read instead of restarting it, once, and
// reports whether that worked.
var interrupting = lazy.Value[bool]{New: func() bool {
	// A kernel_sigaction: handler, flags, restorer, mask.
	var action struct {
		handler, flags, restorer uintptr
		mask                     uint64
	}
	if !hasSigaction {
		return false
	}
	_, _, err := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(wakeUp), 0, uintptr(unsafe.Pointer(&action)), 8, 0, 0)
	if err != 0 || action.handler <= sigIgn {
		return false
	}
	action.flags &^= saRestart
	_, _, err = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(wakeUp), uintptr(unsafe.Pointer(&action)), 0, 8, 0, 0)
	return err == 0
}}

const (
	saRestart = 0x10000000
	sigIgn    = 1

	// hasSigaction: the struct above is the kernel's on this architecture.
	hasSigaction = runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64"
)

// A blockedRead is the state of the one thread that reads from an FD.
type blockedRead struct {
	tid  atomic.Int32 // tid is the thread; 0 = it polls.
	in   atomic.Bool  // in: the thread is in a read, or about to be.
	hung atomic.Bool  // hung: the peer has closed its end.
}

// Own makes the calling goroutine the only reader, until it calls leave. It gets a
// thread of its own, which blocks in the read where the system allows it.
func (f *FD) Own() (leave func()) {
	if !interrupting.Get() {
		return func() {}
	}
	runtime.LockOSThread()
	tid := receptive()
	if unix.Tgkill(unix.Getpid(), tid, 0) != nil {
		return runtime.UnlockOSThread // A sandbox does not let threads be signalled.
	}
	if f.peer != nil && !f.watchHangup(f.peer) {
		return runtime.UnlockOSThread
	}
	f.blocked.tid.Store(int32(tid))
	return func() {
		f.blocked.tid.Store(0)
		runtime.UnlockOSThread()
	}
}

// receptive lets the calling thread be woken, and returns its number. With a short slice
// (Linux 6.12) it preempts those with an ordinary one when a chunk wakes it.
func receptive() int {
	if attr, err := unix.SchedGetAttr(0, 0); err == nil && attr.Runtime != uint64(relaySlice) {
		attr.Runtime = uint64(relaySlice)
		_ = unix.SchedSetAttr(0, attr, 0) // A sandbox may not know it.
	}
	// The thread may have started with the signal blocked.
	set := uint64(1) << (wakeUp - 1)
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGPROCMASK, unix.SIG_UNBLOCK, uintptr(unsafe.Pointer(&set)), 0, 8, 0, 0)
	return unix.Gettid()
}

// relaySlice is for how long a relay's thread keeps the CPU from another that waits for it.
const relaySlice = 100 * time.Microsecond

// Renew lets the scheduler see the goroutine that owns f. It may go on in another thread.
func (f *FD) Renew() {
	tid := f.blocked.tid.Load()
	if tid == 0 {
		return
	}
	runtime.UnlockOSThread() // Another goroutine would have to wake a thread that is locked.
	runtime.Gosched()
	runtime.LockOSThread()
	if int(tid) != unix.Gettid() {
		f.blocked.tid.Store(int32(receptive()))
	}
}

// blockRead reports whether the caller may block in a read, after which it calls
// unblockRead.
func (f *FD) blockRead() bool {
	p := &f.blocked
	if p.tid.Load() == 0 {
		return false
	}
	p.in.Store(true)
	if f.state.Load()&closing != 0 || p.hung.Load() {
		p.in.Store(false)
		return false
	}
	return true
}

func (f *FD) unblockRead() { f.blocked.in.Store(false) }

// interrupt makes a blocked read return, so that its thread sees what has changed. It
// does not wait for that: a read from a file system that hangs does not end.
func (f *FD) interrupt() {
	if f.blocked.in.Load() {
		go f.blocked.interrupt()
	}
}

// interrupt signals until the thread has left the read: a signal may arrive before the
// read has begun.
func (p *blockedRead) interrupt() {
	for pause := 20 * time.Microsecond; p.in.Load(); pause = min(2*pause, 5*time.Millisecond) {
		if unix.Tgkill(unix.Getpid(), int(p.tid.Load()), wakeUp) != nil {
			return // The thread has ended.
		}
		time.Sleep(pause)
	}
}

// hangups watches for all FDs of the process whether the readers at the far ends
// close. Its goroutine ends with the process, and holds no descriptor but its own.
var hangups struct {
	once  sync.Once
	epoll int // epoll is negative where there is none.

	mu   sync.Mutex
	last int32
	srcs map[int32]*FD // srcs are the FDs to interrupt, by the number of the watch.
}

// watchHangup interrupts f when the reader of dst closes its end. It reports false
// where that is not possible: then f polls.
func (f *FD) watchHangup(dst *FD) bool {
	h := &hangups
	h.once.Do(startHangups)
	if h.epoll < 0 {
		return false
	}
	if !dst.enter() {
		return true // It is closed already.
	}
	defer dst.leave()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last++
	switch unix.EpollCtl(h.epoll, unix.EPOLL_CTL_ADD, dst.fd, &unix.EpollEvent{Events: unix.EPOLLONESHOT, Fd: h.last}) {
	case nil:
		h.srcs[h.last] = f
		dst.watch.Store(h.last)
		return true
	case unix.EPERM:
		return true // A file has no reader.
	}
	return false
}

func startHangups() {
	h := &hangups
	h.srcs = map[int32]*FD{}
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if h.epoll = epoll; err != nil {
		return
	}
	go func() {
		events := make([]unix.EpollEvent, 8)
		for {
			n, err := unix.EpollWait(epoll, events, -1)
			if err != nil && err != unix.EINTR {
				return
			}
			for _, e := range events[:max(n, 0)] {
				h.mu.Lock()
				src := h.srcs[e.Fd]
				h.mu.Unlock()
				if src != nil {
					src.blocked.hung.Store(true)
					src.interrupt()
				}
			}
		}
	}()
}

// unwatch ends the watch of f's reader. It comes before the close of the descriptor.
func (f *FD) unwatch() {
	id := f.watch.Swap(0)
	if id == 0 {
		return
	}
	h := &hangups
	h.mu.Lock()
	delete(h.srcs, id)
	h.mu.Unlock()
	_ = unix.EpollCtl(h.epoll, unix.EPOLL_CTL_DEL, f.fd, nil)
}
