//go:build !linux

package recorder

import (
	"errors"
	"os"
)

// writeVector is for Linux.
func writeVector(*os.File, [][]byte, int64) (int, error) { return 0, errors.ErrUnsupported }

// datasync brings a file's data to the disk.
func datasync(f *os.File) error { return f.Sync() }
