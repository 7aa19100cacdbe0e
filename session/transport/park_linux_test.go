package transport

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"testing"
)

// parked waits until the reader of f waits in a read.
func parked(f *FD) {
	for !f.parking.in.Load() {
		runtime.Gosched()
	}
}

// reading reads in a goroutine of its own that owns f, and returns how that ended.
func reading(f *FD) <-chan error {
	ended := make(chan error, 1)
	go func() {
		defer f.Own()()
		buf := make([]byte, 1000)
		for {
			if _, err := f.Read(buf); err != nil {
				ended <- err
				return
			}
		}
	}()
	return ended
}

// TestParkedReadEnds holds that a thread which waits in a read comes back for a
// Close and for a hang-up, whenever they come.
func TestParkedReadEnds(t *testing.T) {
	if !interrupting() {
		t.Fatal("a read cannot be interrupted")
	}
	for _, kind := range kinds {
		for name, at := range map[string]func(*FD){"in the read": parked, "at any time": func(*FD) {}} {
			t.Run(kind.String()+" "+name, func(t *testing.T) {
				var work sync.WaitGroup
				for range 200 {
					work.Go(func() {
						src, in := ends(t, kind)
						ended := reading(src)
						at(src)
						src.Close()
						if err := <-ended; !errors.Is(err, os.ErrClosed) {
							t.Errorf("after Close: %v", err)
						}
						in.Close()

						src, in = ends(t, kind)
						out, dst := ends(t, kind)
						src.WatchPeer(dst)
						ended = reading(src)
						at(src)
						in.Write([]byte("last words"))
						out.Close()
						if err := <-ended; !errors.Is(err, ErrHangup) {
							t.Errorf("after a hang-up: %v", err)
						}
						for _, f := range []*FD{src, in, dst} {
							f.Close()
						}
					})
				}
				work.Wait()
			})
		}
	}
	hangups.mu.Lock()
	defer hangups.mu.Unlock()
	if n := len(hangups.srcs); n > 0 {
		t.Errorf("%d readers are still watched", n)
	}
}

// TestWatchEndsWithItsDescriptor holds that a number which is used again is nobody's
// hang-up.
func TestWatchEndsWithItsDescriptor(t *testing.T) {
	src, in := ends(t, Pipe)
	out, dst := ends(t, Pipe)
	src.WatchPeer(dst)
	dst.Close()
	out.Close()
	for range 20 {
		other, sink := ends(t, Pipe)
		other.Close()
		if _, err := sink.Write([]byte("x")); err == nil {
			t.Error("a write to a closed pipe")
		}
	}
	in.Write([]byte("x"))
	if n, err := src.Read(make([]byte, 10)); n != 1 || err != nil {
		t.Errorf("read %d, %v", n, err)
	}
	if src.parking.hung.Load() {
		t.Error("the reader of another pipe hung up")
	}
}
