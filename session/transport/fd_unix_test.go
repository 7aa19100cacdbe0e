//go:build unix

package transport

import (
	"bytes"
	"errors"
	"io"
	"os"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// ends returns both ends of a fresh pipe or socket pair.
func ends(t *testing.T, kind FDKind) (r, w *FD) {
	t.Helper()
	a, b, err := pipe(kind)
	if err != nil {
		t.Fatal(err)
	}
	r, err = NewFD(a, false)
	if err != nil {
		t.Fatal(err)
	}
	w, err = NewFD(b, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

var kinds = []FDKind{Pipe, Socket}

func TestFDCarries(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.String(), func(t *testing.T) {
			r, w := ends(t, kind)
			want := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
			failed := make(chan error, 1)
			go func() {
				_, err := w.Write(want)
				w.Close()
				failed <- err
			}()
			got, err := io.ReadAll(r)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("read %d bytes of %d, %v", len(got), len(want), err)
			}
			if err := <-failed; err != nil {
				t.Error(err)
			}
		})
	}
}

func TestFDNeverMakesASharedDescriptorNonBlocking(t *testing.T) {
	r, w := ends(t, Pipe)
	for fd, want := range map[*FD]bool{r: false, w: true} {
		flags, err := unix.FcntlInt(uintptr(fd.fd), unix.F_GETFL, 0)
		if err != nil || flags&unix.O_NONBLOCK != 0 != want {
			t.Errorf("flags %#x, %v; alone: %v", flags, err, want)
		}
	}
}

func TestFDCloseEndsACallInProgress(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.String(), func(t *testing.T) {
			r, w := ends(t, kind)
			failed := make(chan error, 2)
			go func() {
				for {
					if _, err := w.Write(make([]byte, 1<<20)); err != nil {
						failed <- err
						return
					}
				}
			}()
			r.Read(make([]byte, 1)) // The writer is at work.
			w.Close()
			if err := <-failed; !errors.Is(err, os.ErrClosed) {
				t.Errorf("write: %v", err)
			}

			r, w = ends(t, kind)
			go func() {
				_, err := r.Read(make([]byte, 1))
				failed <- err
			}()
			r.Close()
			if err := <-failed; !errors.Is(err, os.ErrClosed) {
				t.Errorf("read: %v", err)
			}
			if _, err := r.Read(make([]byte, 1)); !errors.Is(err, os.ErrClosed) {
				t.Errorf("read after close: %v", err)
			}
			if err := r.Close(); !errors.Is(err, os.ErrClosed) {
				t.Errorf("second close: %v", err)
			}
			// The other end learns of it.
			for {
				if _, err := w.Write([]byte("x")); err != nil {
					if !errors.Is(err, syscall.EPIPE) {
						t.Errorf("write to a closed end: %v", err)
					}
					return
				}
			}
		})
	}
}

func TestFDReportsHangupOfThePeer(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.String(), func(t *testing.T) {
			src, in := ends(t, kind)
			out, dst := ends(t, kind)
			src.WatchPeer(dst)
			in.Write([]byte("last words"))
			out.Close()
			buf := make([]byte, 100)
			if n, err := src.Read(buf); err != nil || string(buf[:n]) != "last words" {
				t.Errorf("read %q, %v", buf[:n], err)
			}
			if _, err := src.Read(buf); !errors.Is(err, ErrHangup) {
				t.Errorf("read: %v", err)
			}
		})
	}
}
