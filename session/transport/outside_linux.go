package transport

import "golang.org/x/sys/unix"

// outside returns memory that the collector does not know of, n bytes of zeros; nil where
// the system has none.
func outside(n int) []byte {
	mem, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	return mem
}

// giveBack lets the system have the memory until it is used again, as zeros.
func giveBack(mem []byte) { _ = unix.Madvise(mem, unix.MADV_DONTNEED) }
