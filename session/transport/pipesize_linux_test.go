package transport

import (
	"io"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestDeepPipes holds that only what was asked for is deep: stdin and stdout, where
// they are pipes.
func TestDeepPipes(t *testing.T) {
	usual := func() int {
		r, w, err := pipe(Pipe)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(r)
		defer unix.Close(w)
		return depth(t, r)
	}()
	for name, tt := range map[string]struct {
		deep bool
		kind FDKind
		want [3]int
	}{
		"deep":         {true, Pipe, [3]int{pipeSize, pipeSize, usual}},
		"as usual":     {false, Pipe, [3]int{usual, usual, usual}},
		"deep sockets": {true, Socket, [3]int{-1, -1, -1}},
	} {
		t.Run(name, func(t *testing.T) {
			c := command("echo")
			c.Deep, c.FDs = tt.deep, [3]FDKind{tt.kind, tt.kind, tt.kind}
			tap := NewTap(time.Now(), TapConfig{})
			child, err := c.Start(tap, 1, Grace{})
			if err != nil {
				t.Fatal(err)
			}
			var got [3]int
			for i, end := range []io.Closer{child.Stdin, child.Stdout, child.Stderr} {
				got[i] = depth(t, end.(*FD).fd)
			}
			child.Stdin.Close()
			<-child.Done()
			closeAll(child.Stdout, child.Stderr)
			if got != tt.want {
				t.Errorf("they hold %d bytes, want %d", got, tt.want)
			}
		})
	}
}

// depth is how many bytes a pipe holds, -1 where it is none.
func depth(t *testing.T, fd int) int {
	n, err := unix.FcntlInt(uintptr(fd), unix.F_GETPIPE_SZ, 0)
	if err == unix.EBADF {
		return -1
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}
