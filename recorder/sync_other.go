//go:build !linux

package recorder

import "os"

// datasync brings a file's data to the disk.
func datasync(f *os.File) error { return f.Sync() }
