package recorder

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// endSync is how long the end of a session waits for the disk. A written record
// survives the process in any case; the wait is for the machine's sake.
const endSync = 20 * time.Millisecond

// A medium is a file as a Sink uses it.
type medium interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Truncate(size int64) error
	Sync() error // Sync brings the data to the disk.
}

// osFile is the medium on a real file.
type osFile struct{ *os.File }

// Sync brings the data to the disk; the file's times may follow later.
func (f osFile) Sync() error { return datasync(f.File) }

// unlock gives the writer's lock back, for a file that stays open for reading.
func (f osFile) unlock() { _ = unlockFile(f.File) }

// A disk appends whole records to a file.
type disk struct {
	f    medium
	size int64
	err  error // err is why it cannot be written at present; nil = it can.
}

// append writes records and returns how many bytes of them it took, which is a
// whole number of records. A failing disk takes nothing until err is cleared.
func (d *disk) append(p []byte) int {
	if d.err != nil {
		return 0
	}
	n, err := d.f.WriteAt(p, d.size)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	if err != nil {
		n = bytes.LastIndexByte(p[:max(n, 0)], '\n') + 1
		// Where cutting back fails too, the rest of a record stays behind as a
		// torn line until the next write covers it.
		d.err = errors.Join(err, d.f.Truncate(d.size+int64(n)))
	}
	d.size += int64(n)
	return n
}

// A syncer brings one file's data to the disk whenever it is asked to, from a
// goroutine of its own, so that a slow disk delays nobody.
type syncer struct {
	asked chan struct{}
	done  chan struct{}
	once  sync.Once
	over  atomic.Bool // over: nobody waits for the disk any more.
}

// startSyncer starts the goroutine; end ends it.
func startSyncer(f medium) *syncer {
	s := &syncer{asked: make(chan struct{}, 1), done: make(chan struct{})}
	go func() {
		defer close(s.done)
		for range s.asked {
			// An error means that the disk is failing; the writes will say so.
			_ = f.Sync()
		}
		if !s.over.Load() {
			_ = f.Sync()
		}
	}()
	return s
}

// ask wants a sync soon. It does not wait.
func (s *syncer) ask() {
	select {
	case s.asked <- struct{}{}:
	default:
	}
}

// end wants a last sync and waits endSync for it. A disk that takes longer gets
// the rest of its time in the background. Without wait there is no last sync: a
// process cannot end while the system brings its data to the disk.
func (s *syncer) end(wait bool) {
	s.once.Do(func() {
		s.over.Store(!wait)
		close(s.asked)
		if !wait {
			return
		}
		timer := time.NewTimer(endSync)
		defer timer.Stop()
		select {
		case <-s.done:
		case <-timer.C:
		}
	})
}
