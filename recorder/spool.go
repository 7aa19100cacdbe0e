package recorder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// ErrUnpack is returned for a packed file that is damaged, or cut off.
var ErrUnpack = errors.New("it is damaged, or cut off")

// What is unpacked of a file at most: a packed session is a tenth of a plain one.
const (
	alwaysUnpacked = 1 << 30 // bytes
	mostRatio      = 100
)

var errBomb = errors.New("it unpacks to more than 1 GiB and 100 times its size; to read it all the same, unpack it with gunzip or zstd -d")

// A spool is the Log of something that can be read only once: it copies it into
// a temporary file. Its goroutine ends with the source, or after close at the
// next read that returns.
type spool struct {
	*Sink
	path   string
	most   int64 // most is how many bytes are copied at most; 0 = all.
	mu     sync.Mutex
	err    error // why the source broke off
	closed bool
	done   chan struct{}
}

func openSpool(path string, src io.Reader, closer io.Closer, most int64) *File {
	s := &spool{Sink: NewTemp(), path: path, most: most, done: make(chan struct{})}
	go s.copy(src)
	return &File{Log: s, path: path, close: func() error { return errors.Join(closer.Close(), s.close()) }}
}

// copy moves the source into the log, as it comes.
func (s *spool) copy(src io.Reader) {
	defer close(s.done)
	buf, copied := make([]byte, readSize), int64(0)
	for {
		n, err := readSafely(src, buf)
		if copied += int64(n); s.most > 0 && copied > s.most {
			n, err = 0, errBomb
		}
		s.mu.Lock()
		if n > 0 && !s.closed {
			s.write(buf[:n])
		}
		if err != nil && !errors.Is(err, io.EOF) {
			if s.err = err; s.path != "" {
				s.err = fmt.Errorf("reading %s: %w", s.path, err)
			}
			if Packed(s.path) != "" && !errors.Is(err, errBomb) {
				s.err = fmt.Errorf("unpacking %s: %w: %w", s.path, ErrUnpack, err)
			}
		}
		stop := err != nil || s.closed
		s.mu.Unlock()
		if stop {
			s.finish(true)
			return
		}
	}
}

// readSafely is src.Read; a panic of what unpacks the source is an error in what
// it was given.
func readSafely(src io.Reader, p []byte) (n int, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			n, err = 0, fmt.Errorf("unpacking: %v", fault)
		}
	}()
	return src.Read(p)
}

// Wait is Log.Wait. A source that broke off answers why once all is read.
func (s *spool) Wait(ctx context.Context, size int64) error {
	err := s.Sink.Wait(ctx, size)
	s.mu.Lock()
	defer s.mu.Unlock()
	if errors.Is(err, ErrFinished) && s.err != nil {
		return s.err
	}
	return err
}

// close gives back the temporary file.
func (s *spool) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return s.Sink.Close()
}

// openPacked spools a packed file. It owns f.
func openPacked(path string, f *os.File) (*File, error) {
	src, err := unpacked(f, Packed(path))
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("unpacking %s: %w: %w", path, ErrUnpack, err)
	}
	most := int64(0)
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		most = max(alwaysUnpacked, mostRatio*info.Size())
	}
	return openSpool(path, src, f, most), nil
}

// unpacked returns what unpacks a file with that ending.
func unpacked(f io.Reader, ending string) (io.ReadCloser, error) {
	if ending == Gzip {
		return gzip.NewReader(f)
	}
	d, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}
