package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// ErrNotRegular is returned for what is not a regular file: a pipe, a device, a socket, a
// folder.
var ErrNotRegular = errors.New("it is not a regular file")

// Open opens a regular file for reading. It never waits, as opening a pipe does for its
// other end, and fails with ErrNotRegular for anything else.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, &os.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, &os.PathError{Op: "open", Path: path, Err: errors.Join(ErrNotRegular, err)}
	}
	return f, nil
}

// Read returns the content of a regular file of at most limit bytes; see Open.
func Read(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s: it is longer than %d bytes", path, limit)
	}
	return data, err
}
