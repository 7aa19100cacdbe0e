//go:build !unix

package recorder

import (
	"errors"
	"os"
)

// doomedFile is removed when it is closed, where open files cannot be removed. A
// kill leaves it behind.
type doomedFile struct{ osFile }

// Close closes and removes the file.
func (f doomedFile) Close() error { return errors.Join(f.osFile.Close(), os.Remove(f.Name())) }

// unlinkedTemp makes a temporary file that is removed when it is closed.
func unlinkedTemp() (medium, error) {
	f, err := os.CreateTemp("", "wiretea-*.mcpcap.jsonl")
	if err != nil {
		return nil, err
	}
	return doomedFile{osFile{f}}, nil
}
