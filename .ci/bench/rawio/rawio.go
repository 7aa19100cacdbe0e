//go:build unix

// Package rawio copies between descriptors with blocking system calls, past the
// runtime's poller. It is the baseline that a tee is measured against.
package rawio

import "syscall"

// Copy copies with blocking system calls until the end or an error; to a file
// too, unless file is below 0.
func Copy(in, out, file int) {
	buf := make([]byte, 64<<10)
	for {
		n, err := syscall.Read(in, buf)
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
		n, err := syscall.Write(fd, p)
		if err != nil && err != syscall.EINTR {
			return err
		}
		p = p[max(n, 0):]
	}
	return nil
}
