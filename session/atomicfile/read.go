package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// ErrNotRegular is returned for a pipe, a device, a socket or a folder.
var ErrNotRegular = errors.New("not a regular file")

// ReadRegular reads a regular file of at most most bytes. It never waits for a pipe, nor
// reads a device; a file that lies about its size is cut off by an error.
func ReadRegular(path string, most int64) ([]byte, error) {
	// A look first: to open a device may do something.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, ErrNotRegular
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, ErrNotRegular
	case info.Size() > most:
		return nil, tooLarge(most)
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = tooLarge(most)
	}
	return data, err
}

func tooLarge(most int64) error {
	if most >= 1<<20 {
		return fmt.Errorf("larger than %d MiB", most>>20)
	}
	return fmt.Errorf("larger than %d KiB", most>>10)
}
