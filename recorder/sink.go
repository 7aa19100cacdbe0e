package recorder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
)

// DefaultTail is how much of a session a memory tail keeps, in bytes.
const DefaultTail = 32 << 20

// A Sink stores the session of one Writer, and is the Log from which it is read
// meanwhile in the same process. When its file fails it continues in an unlinked
// temporary file, and when that fails in a memory tail, with continuous offsets. It
// returns to the file once that can be written.
type Sink struct {
	notifier
	path string
	max  int64                  // most bytes of a memory tail
	temp func() (medium, error) // makes the file to go on in; nil = none

	created bool // created: the file named was not there before.
	empty   bool // empty: nothing could be written into it, and it was removed.

	packed string // packed is the file to pack the finished one into; empty = none.

	named  *disk // the file asked for, the first of the parts; nil = none
	syncer *syncer
	gone   bool          // gone: deleted has reported that the file was deleted.
	calls  atomic.Uint64 // calls counts when the disk is asked for something and when it has done it.

	mu     sync.Mutex // guards what follows against readers
	parts  []part
	head   []byte // the header's line, which is never evicted
	reason error
}

// A part of a Sink's log begins at an offset and lies in a file or in memory.
type part struct {
	base int64
	disk *disk
	tail *tail
}

// NewMemory returns a Sink that keeps the last max bytes in memory and nothing
// on disk; 0 means DefaultTail.
func NewMemory(max int64) *Sink {
	if max <= 0 {
		max = DefaultTail
	}
	return &Sink{max: max, parts: []part{{tail: &tail{max: max}}}}
}

// NewTemp returns a Sink in a temporary file that has no name and goes with the
// process. Where that is not possible it is one in memory, and Reason says why.
func NewTemp() *Sink {
	f, err := unlinkedTemp()
	if err != nil {
		s := NewMemory(0)
		s.reason = fmt.Errorf("keeping the session in memory: %w", err)
		return s
	}
	return &Sink{max: DefaultTail, parts: []part{{disk: &disk{f: f}}}}
}

// newFileSink returns a Sink in a file that is open and locked. It owns f.
func newFileSink(path string, f medium, temp func() (medium, error)) *Sink {
	d := &disk{f: f}
	return &Sink{path: path, max: DefaultTail, temp: temp, named: d, parts: []part{{disk: d}}, syncer: startSyncer(f)}
}

// Unread declares, before the Writer begins, that the log is not read in this
// process: what the file does not take is not kept.
func (s *Sink) Unread() { s.temp, s.max = nil, 1 }

// Path is the file's path; empty for a Sink without a file.
func (s *Sink) Path() string { return s.path }

// Final is the path under which the session is once the Sink is closed: that of
// the packed file, where it is to be packed, else Path. It is empty where nothing could
// be written.
func (s *Sink) Final() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.empty:
		return ""
	case s.packed != "" && s.reason == nil:
		return s.packed
	}
	return s.path
}

// Reason is why the session is not wholly in the place it was meant for, nil
// while it is. Once set it stays: offsets of this log are then not offsets in
// the file, and no index may be saved from it.
func (s *Sink) Reason() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reason
}

// write adds whole records and reports how many bytes at their end the file did
// not take. They are in the log anyway.
func (s *Sink) write(p []byte) (missed int) {
	s.calls.Add(1)
	defer s.calls.Add(1)
	if s.head == nil {
		s.mu.Lock()
		s.head = bytes.Clone(p[:bytes.IndexByte(p, '\n')+1])
		s.mu.Unlock()
	}
	var before int64
	if s.named != nil {
		before = s.named.size
		if s.parts[len(s.parts)-1].disk != s.named {
			s.named.append(p)
		}
	}
	s.place(p)
	s.publish(s.Size()+int64(len(p)), false)
	if s.named == nil {
		return 0
	}
	return len(p) - int(s.named.size-before)
}

// writeParts adds whole records, which lie in parts, if that can be done in one
// write to the only place there is. Where it returns false, nothing was added, and
// write is to be used.
func (s *Sink) writeParts(parts [][]byte) bool {
	s.calls.Add(1)
	defer s.calls.Add(1)
	last := s.parts[len(s.parts)-1]
	if last.disk == nil || s.named != nil && last.disk != s.named || s.head == nil || !last.disk.appendParts(parts) {
		return false
	}
	s.publish(last.base+last.disk.size, false)
	return true
}

// Grows reports whether the log is longer than size bytes. While records are being
// written it waits for them, for at most as long as ctx lasts: those who read the file
// may have them before the log's readers do.
func (s *Sink) Grows(ctx context.Context, size int64) bool {
	if s.calls.Load()%2 == 0 {
		return s.Size() > size
	}
	return s.Wait(ctx, size) == nil
}

// place puts p at the end of the last part, and what does not fit there into
// parts that follow it.
func (s *Sink) place(p []byte) {
	for len(p) > 0 {
		last := s.parts[len(s.parts)-1]
		if last.tail != nil {
			last.tail.append(p)
			return
		}
		if p = p[last.disk.append(p):]; len(p) > 0 {
			s.changeOver(last)
		}
	}
}

// changeOver makes the part to go on in after one that failed.
func (s *Sink) changeOver(last part) {
	next := part{base: last.base + last.disk.size}
	if s.temp != nil && last.disk == s.named {
		if f, err := s.temp(); err == nil {
			next.disk = &disk{f: f}
		}
	}
	where := "a temporary file"
	if next.disk == nil {
		next.tail, where = &tail{max: s.max}, "memory"
	}
	s.mu.Lock()
	s.parts = append(s.parts, next)
	s.reason = fmt.Errorf("going on in %s: %w", where, last.disk.err)
	switch unread := s.max == 1; {
	case unread && next.base == 0:
		s.reason = last.disk.err
	case unread:
		s.reason = fmt.Errorf("%w: %w", ErrRest, last.disk.err)
	}
	s.mu.Unlock()
	s.sync()
}

// failing reports whether the file cannot be written at present.
func (s *Sink) failing() bool { return s.named != nil && s.named.err != nil }

// ErrRest is in the reason of a session that is recorded up to here, and no further: its
// file is full, and nobody reads it elsewhere.
var ErrRest = errors.New("the rest is not kept")

// ErrDeleted is given to Options.Changed when the file was deleted while it was written.
var ErrDeleted = errors.New("the session file was deleted")

// deleted reports, once, that the file has been deleted.
func (s *Sink) deleted() bool {
	if s.named == nil || s.gone {
		return false
	}
	if f, ok := s.named.f.(interface{ Deleted() bool }); !ok || !f.Deleted() {
		return false
	}
	s.gone = true
	return true
}

// last says that what follows is the end of the record, which may take the last room.
func (s *Sink) last() {
	if s.named != nil {
		s.named.last = true
	}
}

// retry writes one record into the failing file alone, and reports whether the
// file took it.
func (s *Sink) retry(record []byte) bool {
	s.calls.Add(1)
	defer s.calls.Add(1)
	s.named.err = nil
	return s.named.append(record) == len(record)
}

// sync asks for the file's data to be brought to the disk, and does not wait.
func (s *Sink) sync() {
	if s.syncer != nil {
		select {
		case s.syncer.asked <- struct{}{}:
		default:
		}
	}
}

// finish ends the log: its file is not written any more, though it stays open for
// reading. With wait, it waits endSync at most for the disk.
func (s *Sink) finish(wait bool) {
	if s.syncer != nil {
		s.syncer.end(wait)
	}
	if s.named != nil {
		if f, ok := s.named.f.(osFile); ok {
			s.leaveNothing(f)
			f.unlock()
		}
	}
	s.publish(s.Size(), true)
}

// leaveNothing removes the file if the Sink made it and not even the header is in it.
func (s *Sink) leaveNothing(f osFile) {
	if !s.created || s.named.size > 0 || s.named.err == nil {
		return
	}
	own, err := f.Stat()
	if err != nil {
		return
	}
	if there, err := os.Lstat(s.path); err != nil || !os.SameFile(own, there) || os.Remove(s.path) != nil {
		return // Who reads a file that stays says that it is empty.
	}
	s.mu.Lock()
	s.empty = true
	s.mu.Unlock()
}

// ReadAt is io.ReaderAt over all parts.
func (s *Sink) ReadAt(p []byte, off int64) (int, error) {
	size := s.Size()
	if off >= size {
		return 0, io.EOF
	}
	short := int64(len(p)) > size-off
	if short {
		p = p[:size-off]
	}
	n := 0
	for n < len(p) {
		m, err := s.readPart(p[n:], off+int64(n))
		n += m
		if err != nil {
			return n, err
		}
	}
	if short {
		return n, io.EOF
	}
	return n, nil
}

// readPart reads what of p lies in one part. It returns at least one byte or an
// error.
func (s *Sink) readPart(p []byte, off int64) (int, error) {
	s.mu.Lock()
	if off < int64(len(s.head)) {
		n := copy(p, s.head[off:])
		s.mu.Unlock()
		return n, nil
	}
	i := len(s.parts) - 1
	for s.parts[i].base > off {
		i--
	}
	at := s.parts[i]
	if i+1 < len(s.parts) {
		p = p[:min(int64(len(p)), s.parts[i+1].base-off)]
	}
	s.mu.Unlock()
	var n int
	var err error
	if at.tail != nil {
		n, err = at.tail.ReadAt(p, off-at.base)
	} else {
		n, err = at.disk.f.ReadAt(p, off-at.base)
	}
	if n > 0 {
		err = nil
	}
	return n, err
}

// Kept is the offset of the first record at or after off that is still kept.
func (s *Sink) Kept(off int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.parts[len(s.parts)-1]
	if last.tail == nil || off < last.base || off < int64(len(s.head)) {
		return off
	}
	return max(off, last.base+last.tail.oldest())
}

// Close ends the log if need be and gives back the files. It packs a finished file
// that is to be packed.
func (s *Sink) Close() error {
	s.finish(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	var first error
	for _, p := range s.parts {
		if p.disk != nil {
			if err := p.disk.f.Close(); err != nil && first == nil {
				first = err
			}
		}
	}
	if first == nil && s.packed != "" && s.reason == nil && s.named.size > 0 {
		target := s.packed
		s.packed = ""
		return Pack(s.path, target, true)
	}
	return first
}

// NewSink returns a Sink that writes to w from its beginning to its end and keeps
// no other copy: nothing can be read back from it.
func NewSink(w io.Writer) *Sink {
	s := newFileSink("", &stream{f: struct {
		io.Writer
		io.Closer
	}{w, io.NopCloser(nil)}}, nil)
	s.Unread()
	return s
}
