package transport

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// parked waits until the reader of f waits in a read.
func parked(f *FD) {
	for !f.blocked.in.Load() {
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
	if !interrupting.Get() {
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

// TestRenewedReadEnds holds that Close ends a read whose goroutine has gone on in another
// thread.
func TestRenewedReadEnds(t *testing.T) {
	var work, others sync.WaitGroup
	stop := make(chan struct{})
	for range 4 { // They take threads, so that the readers get others.
		others.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					time.Sleep(time.Microsecond)
				}
			}
		})
	}
	var moved atomic.Int64
	for range 50 {
		work.Go(func() {
			src, in := ends(t, Pipe)
			defer in.Close()
			ended := make(chan error, 1)
			go func() {
				leave := src.Own()
				for range 100 {
					before := src.blocked.tid.Load()
					src.Renew()
					if tid := src.blocked.tid.Load(); int(tid) != unix.Gettid() {
						t.Errorf("thread %d is taken for thread %d", unix.Gettid(), tid)
					} else if tid != before {
						moved.Add(1)
					}
				}
				_, err := src.Read(make([]byte, 1))
				leave()
				src.Renew() // It has no owner.
				ended <- err
			}()
			parked(src)
			src.Close()
			if err := <-ended; !errors.Is(err, os.ErrClosed) {
				t.Errorf("after Close: %v", err)
			}
		})
	}
	work.Wait()
	close(stop)
	others.Wait()
	t.Logf("%d of 5000 times it went on in another thread", moved.Load())
}

// TestParkedReadEndsForUserWithManySignals holds that a read ends for a user whose
// signals are as many as may wait.
func TestParkedReadEndsForUserWithManySignals(t *testing.T) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_SIGPENDING, &limit); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Setrlimit(unix.RLIMIT_SIGPENDING, &limit) })
	if err := unix.Setrlimit(unix.RLIMIT_SIGPENDING, &unix.Rlimit{Max: limit.Max}); err != nil {
		t.Fatal(err)
	}
	src, _ := ends(t, Pipe)
	ended := reading(src)
	parked(src)
	src.Close()
	if err := <-ended; !errors.Is(err, os.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// TestCloseDoesNotWaitForRead holds that a read which cannot be interrupted, as one of
// a file system that hangs, keeps nobody but its own relay.
func TestCloseDoesNotWaitForRead(t *testing.T) {
	src, in := ends(t, Pipe)
	ended := make(chan error, 1)
	go func() {
		defer src.Own()()
		set := unix.Sigset_t{}
		set.Val[0] = 1 << (wakeUp - 1)
		if err := unix.PthreadSigmask(unix.SIG_BLOCK, &set, nil); err != nil {
			t.Error(err)
		}
		_, err := src.Read(make([]byte, 10))
		ended <- err
	}()
	parked(src)
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		src.Close()
	}()
	select {
	case <-closed:
	case <-time.After(patience):
		t.Error("Close waits for the read")
	}
	in.Write([]byte("x"))
	if err := <-ended; err != nil {
		t.Errorf("the read: %v", err)
	}
	<-closed
	if _, err := in.Write([]byte("x")); !errors.Is(err, unix.EPIPE) {
		t.Errorf("a write to what was closed: %v", err)
	}
}

// TestUnwatchedHangup holds that a hang-up is noticed where the system watches no
// more descriptors.
func TestUnwatchedHangup(t *testing.T) {
	hangups.once.Do(startHangups)
	epoll := hangups.epoll
	t.Cleanup(func() { hangups.epoll = epoll })
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for name, fd := range map[string]int{"none": -1, "no epoll": int(file.Fd())} {
		t.Run(name, func(t *testing.T) {
			hangups.epoll = fd
			src, _ := ends(t, Pipe)
			out, dst := ends(t, Pipe)
			src.WatchPeer(dst)
			ended := reading(src)
			out.Close()
			if err := <-ended; !errors.Is(err, ErrHangup) {
				t.Errorf("after a hang-up: %v", err)
			}
		})
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
	if src.blocked.hung.Load() {
		t.Error("the reader of another pipe hung up")
	}
}
