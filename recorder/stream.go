package recorder

import (
	"fmt"
	"io"
	"os"
)

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
