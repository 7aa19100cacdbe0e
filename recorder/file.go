package recorder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"wiretea/session"
	"wiretea/session/atomicfile"
)

const (
	pollBusy  = 20 * time.Millisecond  // polling interval of a file that grows
	pollIdle  = 500 * time.Millisecond // polling interval of a file that does not
	quietLong = 30 * time.Second       // a live writer writes a record at least every 10 s
	tailSize  = 4 << 10                // number of bytes at the end that are searched for the end record
)

// A File is a session file opened for reading: finished, or written by another
// process, or packed, or standard input. It is a Log.
type File struct {
	Log
	path   string
	header *session.Header
	follow *follower       // nil where the file is spooled
	live   func() Liveness // live says whether a merged log goes on; nil for other files.
	close  func() error
}

// Open opens a session file for reading; "-" is standard input. Files whose name
// ends in .gz or .zst, and what is not a regular file, are spooled into a temporary
// file as they are read. It fails for what does not exist, cannot be read, or is
// no session file; what comes out of a spool is judged by the Reader.
func Open(path string) (*File, error) {
	if path == "-" {
		return openSpool(path, os.Stdin, io.NopCloser(nil), 0), nil
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("opening the session file: %w", err)
	case info.IsDir():
		return nil, fmt.Errorf("%w: %s is a folder", ErrNotSession, path)
	case info.Mode()&os.ModeDevice != 0 && !IsDescriptor(path):
		return nil, fmt.Errorf("%w: %s is a device", ErrNotSession, path)
	case !info.Mode().IsRegular():
		late := &lateOpen{path: path}
		return openSpool(path, late, late, 0), nil
	}
	f, err := atomicfile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the session file: %w", err)
	}
	if Packed(path) != "" {
		return openPacked(path, f)
	}
	file := &File{path: path, follow: &follower{f: f}, close: f.Close}
	file.Log = file.follow
	// Before the header was written there is none.
	r := NewReader(file.Log, 0)
	if err := r.open(); err != nil && !errors.Is(err, io.EOF) {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	file.header = r.header
	return file, nil
}

// IsDescriptor reports whether a path names an open file of a process, as /dev/stdin and
// /dev/fd/3 do, whatever that file is. A file in /dev/shm is a file as others are.
func IsDescriptor(path string) bool {
	switch path {
	case "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty":
		return true
	}
	return strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/dev/pts/") || strings.HasPrefix(path, "/proc/")
}

// A lateOpen opens a pipe when it is read: that waits for its other end, perhaps for ever,
// and whoever waits for what comes out of it can be interrupted.
type lateOpen struct {
	path string
	mu   sync.Mutex
	f    *os.File
}

func (l *lateOpen) Read(p []byte) (int, error) {
	l.mu.Lock()
	f := l.f
	l.mu.Unlock()
	if f == nil {
		var err error
		if f, err = os.Open(l.path); err != nil {
			return 0, err
		}
		l.mu.Lock()
		l.f = f
		l.mu.Unlock()
	}
	return f.Read(p)
}

// Close closes the pipe, if it has been opened.
func (l *lateOpen) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil {
		return nil
	}
	return l.f.Close()
}

// Path returns the path the file was opened with.
func (f *File) Path() string { return f.path }

// Header returns the header as it was when the file was opened, nil where it
// was not there yet.
func (f *File) Header() *session.Header { return f.header }

// Live reports whether a process is writing the file; unknown for a spool.
func (f *File) Live() Liveness {
	switch {
	case f.live != nil:
		return f.live()
	case f.follow == nil:
		return LivenessUnknown
	}
	l := f.follow
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stat(time.Now())
	if l.ended {
		return NotLive
	}
	return probeLock(l.f)
}

// Close closes the file. Readers must have ended.
func (f *File) Close() error { return f.close() }

// A follower is the Log of a file that another process may be writing. It looks
// at the file from time to time.
type follower struct {
	f *os.File

	mu     sync.Mutex
	size   int64
	statAt time.Time // when size was taken
	grewAt time.Time // when it was seen to change
	ended  bool      // the end record is at the end
}

// ReadAt is io.ReaderAt.
func (l *follower) ReadAt(p []byte, off int64) (int, error) { return l.f.ReadAt(p, off) }

// Size returns the file's size, at most pollBusy old.
func (l *follower) Size() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); now.Sub(l.statAt) >= pollBusy {
		l.stat(now)
	}
	return l.size
}

// stat takes the size. An unreadable file does not grow.
func (l *follower) stat(now time.Time) {
	l.statAt = now
	info, err := l.f.Stat()
	if err != nil {
		return
	}
	first := l.grewAt.IsZero()
	if size := info.Size(); first || size != l.size {
		l.size, l.grewAt = size, now
		_, l.ended = readEnd(l.f, size)
	}
	if first {
		l.grewAt = info.ModTime()
	}
}

// Wait is Log.Wait. A log has ended with its end record, or when the writer's
// lock is free. Where locks do not work, it has ended when the file has not grown for
// three times the longest pause of a live writer.
func (l *follower) Wait(ctx context.Context, size int64) error {
	for pause := pollBusy; ; pause = min(2*pause, pollIdle) {
		grown, ended := l.poll(size)
		switch {
		case grown:
			return nil
		case ended:
			return ErrFinished
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (l *follower) poll(size int64) (grown, ended bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	// The lock is probed before the size is taken: a writer that has gone
	// cannot have written in between.
	alive := probeLock(l.f)
	now := time.Now()
	l.stat(now)
	if l.size > size {
		return true, false
	}
	return false, l.ended || alive == NotLive || alive == LivenessUnknown && now.Sub(l.grewAt) > quietLong
}

// readOutcome returns how the server ended, as the end of a log of that size says, if it
// did not exit with code 0 or was not ended by us; empty if nothing is said.
func readOutcome(f io.ReaderAt, size int64) (outcome string) {
	buf := make([]byte, min(size, tailSize))
	if n, _ := f.ReadAt(buf, size-int64(len(buf))); n < len(buf) {
		return ""
	}
	var p parser
	var rec session.Record
	asked := false // asked: a signal was sent to it.
	for line := range bytes.Lines(buf) {
		if p.parse(bytes.TrimSuffix(line, lineFeed), &rec) != nil || rec.Kind != session.RecProc {
			continue
		}
		switch ev := &rec.Proc; {
		case ev.Event == "start":
			outcome, asked = "", false
		case ev.Event == "signal":
			asked = true
		case ev.Event == "failed":
			outcome = "not started"
		case ev.Event == "exit" && ev.Signal != "" && !asked:
			outcome = ev.Signal
		case ev.Event == "exit" && ev.Signal == "" && ev.Code != 0:
			outcome = fmt.Sprintf("exit %d", ev.Code)
		}
	}
	return outcome
}

// readEnd returns the end record at the end of a log of that size.
func readEnd(f io.ReaderAt, size int64) (end session.Record, ok bool) {
	buf := make([]byte, min(size, tailSize))
	if n, err := f.ReadAt(buf, size-int64(len(buf))); n < len(buf) || err != nil && !errors.Is(err, io.EOF) {
		return end, false
	}
	line, whole := bytes.CutSuffix(buf, []byte("\n"))
	line = line[bytes.LastIndexByte(line, '\n')+1:]
	var p parser
	return end, whole && p.parse(line, &end) == nil && end.Kind == session.RecEnd
}
