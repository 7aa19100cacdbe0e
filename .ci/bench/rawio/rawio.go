//go:build unix

package rawio

import (
	"runtime"
	"runtime/debug"
	"syscall"
	"unsafe"
)

// unseen: the runtime does not know of the calls.
var unseen bool

// Unsee makes the calls without telling the runtime, which then does nothing around them:
// the process behaves as one in C does. Each goroutine that calls is to have a thread of
// its own.
func Unsee() {
	unseen = true
	runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), 8)) // A call keeps what runs a goroutine.
	debug.SetGCPercent(-1)                            // The collector would wait for the calls.
}

// Own gives the goroutine a thread of its own, if Unsee was called.
func Own() {
	if unseen {
		runtime.LockOSThread()
	}
}

// Read reads once, with a blocking system call.
func Read(fd int, p []byte) (int, error) {
	if !unseen {
		return syscall.Read(fd, p)
	}
	return raw(syscall.SYS_READ, fd, p)
}

func raw(call uintptr, fd int, p []byte) (int, error) {
	n, _, err := syscall.RawSyscall(call, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)))
	if err != 0 {
		return 0, err
	}
	return int(n), nil
}

func write(fd int, p []byte) (int, error) {
	if !unseen {
		return syscall.Write(fd, p)
	}
	return raw(syscall.SYS_WRITE, fd, p)
}

// Copy copies with blocking system calls until the end or an error; to a file
// too, unless file is below 0.
func Copy(in, out, file int) {
	Own()
	buf := make([]byte, 64<<10)
	for {
		n, err := Read(in, buf)
		if err == syscall.EINTR {
			continue
		}
		if n <= 0 || err != nil || Write(out, buf[:n]) != nil || file >= 0 && Write(file, buf[:n]) != nil {
			return
		}
	}
}

// Write writes all of p with blocking system calls.
func Write(fd int, p []byte) error {
	for len(p) > 0 {
		n, err := write(fd, p)
		if err != nil && err != syscall.EINTR {
			return err
		}
		p = p[max(n, 0):]
	}
	return nil
}
