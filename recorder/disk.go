package recorder

import (
	"bytes"
	"errors"
	"fmt"
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

// A partsWriter is a medium that writes what lies in parts in one go. Where it
// returns an error, or less than all, any beginning of it may have been written.
type partsWriter interface {
	WriteParts(parts [][]byte, off int64) (int, error)
}

// A limited medium knows how much room there is for it.
type limited interface {
	// Room returns how many bytes are free, and how many of them are to be left, so that
	// a recording does not fill a disk that others need; false where that is not known.
	Room() (free, spare int64, ok bool)
}

// maxSpare is how many bytes of a disk are left free at most; of a small one it is a
// twentieth.
const maxSpare = 64 << 20

// roomStep is how many bytes are written without looking at the room.
const roomStep = 4 << 20

// errNoRoom is returned when the rest of the disk is to be left free.
var errNoRoom = errors.New("the disk is nearly full")

// osFile is the medium on a real file.
type osFile struct{ *os.File }

// WriteParts is partsWriter's.
func (f osFile) WriteParts(parts [][]byte, off int64) (int, error) {
	return writeVector(f.File, parts, off)
}

// Sync brings the data to the disk; the file's times may follow later.
func (f osFile) Sync() error { return datasync(f.File) }

// unlock gives the writer's lock back, for a file that stays open for reading.
func (f osFile) unlock() { _ = unlockFile(f.File) }

// A disk appends whole records to a file.
type disk struct {
	f    medium
	size int64
	err  error // err is why it cannot be written at present; nil = it can.
	left int64 // left is how many bytes may be written before the room is looked at.
	last bool  // last: what is written now is the last, and may take the spare room.
}

// fits returns errNoRoom where n bytes more would take room that is to be left free.
func (d *disk) fits(n int64) error {
	if d.left -= n; d.left >= 0 || d.last {
		return nil
	}
	d.left = roomStep
	f, ok := d.f.(limited)
	if !ok {
		return nil
	}
	free, spare, ok := f.Room()
	switch {
	case !ok:
		return nil
	case free-n < spare:
		d.left = 0
		return errNoRoom
	}
	d.left = min(roomStep, free-n-spare)
	return nil
}

// append writes records and returns how many bytes of them it took, which is a
// whole number of records. A failing disk takes nothing until err is cleared.
func (d *disk) append(p []byte) int {
	if d.err != nil {
		return 0
	}
	if d.err = d.fits(int64(len(p))); d.err != nil {
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

// appendParts writes whole records that lie in parts, in one go. It reports whether
// it took them; where it did not, nothing has changed, and append says why.
func (d *disk) appendParts(parts [][]byte) bool {
	f, ok := d.f.(partsWriter)
	if !ok || d.err != nil {
		return false
	}
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	if d.fits(int64(size)) != nil {
		return false
	}
	if n, err := f.WriteParts(parts, d.size); err != nil || n < size {
		return false // The next write covers what was written.
	}
	d.size += int64(size)
	return true
}

// A syncer brings one file's data to the disk whenever it is asked to, from a
// goroutine of its own, so that a slow disk delays no caller.
type syncer struct {
	asked chan struct{}
	done  chan struct{}
	once  sync.Once
	over  atomic.Bool // over: the last sync is left out.
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
		select {
		case <-s.done:
		case <-time.After(endSync):
		}
	})
}

// OpenStream returns a Sink that writes a session into a pipe that is there: a
// FIFO, or a descriptor of this process such as /dev/fd/3. It returns nil and no
// error where the name stands for something else. It waits until a reader has opened
// the pipe.
//
// What went into a pipe cannot be read back: the Sink is to be Unread. A reader
// that is slow makes the Writer wait. One that goes away costs the rest of its
// record; the next one begins with that rest, then whole records come again.
func OpenStream(name string) (*Sink, error) {
	info, err := os.Stat(name)
	if err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return nil, nil // Create reports what is wrong with it.
	}
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("opening the pipe to record into: %w", err)
	}
	return newFileSink(name, &stream{f: f}, nil), nil
}

// A stream is the medium on what can only be written, and only at its end.
type stream struct {
	f    io.WriteCloser
	torn bool // torn: a part of a record was written.
}

// WriteAt writes at the end, wherever that is.
func (s *stream) WriteAt(p []byte, _ int64) (n int, err error) {
	if s.torn {
		if _, err := s.f.Write([]byte("\n")); err != nil {
			return 0, err
		}
		s.torn = false
	}
	n, err = s.f.Write(p)
	s.torn = n > 0 && p[n-1] != '\n'
	return n, err
}

// Truncate is asked for after a failed write. Nothing can be taken back: WriteAt
// ends the line that has begun before the next one.
func (s *stream) Truncate(int64) error { return nil }

func (s *stream) ReadAt([]byte, int64) (int, error) { return 0, io.EOF }

func (s *stream) Sync() error { return nil }

func (s *stream) Close() error { return s.f.Close() }
