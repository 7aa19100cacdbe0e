//go:build unix

package jsonrpc

import (
	"bytes"
	"testing"

	"golang.org/x/sys/unix"
)

// TestPlainReadsNothingBeyond has texts of all lengths end where memory ends, and begin
// where it begins.
func TestPlainReadsNothingBeyond(t *testing.T) {
	page := unix.Getpagesize()
	all, err := unix.Mmap(-1, 0, 3*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(all) })
	for _, outside := range [][]byte{all[:page], all[2*page:]} {
		if err := unix.Mprotect(outside, unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	inside := all[page : 2*page]
	copy(inside, bytes.Repeat([]byte("x"), page))
	for n := range 300 {
		for _, p := range [][]byte{inside[:n], inside[page-n:]} {
			if got := plainLong(p, 0); got != n {
				t.Fatalf("plainLong of %d bytes = %d", n, got)
			}
			if got := plainBlocks(p); wide && got != n/64*64 {
				t.Fatalf("plainBlocks of %d bytes = %d", n, got)
			}
		}
	}
}
