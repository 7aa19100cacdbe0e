package atomicfile

import (
	"context"
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

// Read returns the content of a regular file of at most limit bytes; see Open. Nothing of
// a longer file is returned, and where its size says how long it is, nothing is read.
func Read(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	data, err := readAll(f, info.Size(), limit)
	if errors.Is(err, errTooLong) {
		err = fmt.Errorf("%s: %w than %d bytes", path, err, limit)
	}
	return data, err
}

// errTooLong is returned by readAll for a file that is longer than wanted.
var errTooLong = errors.New("it is longer")

// readAll reads a file of the given size. The file may grow meanwhile, and some systems
// say 0 for files that are made while they are read.
func readAll(f io.Reader, size, limit int64) (data []byte, err error) {
	if size <= limit {
		data, err = io.ReadAll(io.LimitReader(f, limit+1))
		size = int64(len(data))
	}
	if err == nil && size > limit {
		return nil, errTooLong
	}
	return data, err
}

// Within returns what f returns, or the context's error as soon as that ends: opening a
// pipe waits for its other end, and nothing interrupts that. f goes on then, and its
// answer is dropped: only for a program that is about to exit.
func Within[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		value, err := f()
		done <- answer{value, err}
	}()
	select {
	case a := <-done:
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
