package recorder

import (
	"errors"
	"fmt"
	"os"

	"wiretea/session/atomicfile"
)

// ErrSource is returned for a file that is to be replaced by what is made from it.
var ErrSource = errors.New("it is the original")

// MayReplace returns why the file at path must not be replaced, whatever the user says:
// ErrBusy if it is a session file that is being written, ErrSource if it is one of
// sources, under whatever name. It returns nil where there is no file.
func MayReplace(path string, sources ...string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil // There is nothing to lose.
	}
	for _, source := range sources {
		if other, err := os.Stat(source); err == nil && os.SameFile(info, other) {
			return fmt.Errorf("%s: %w", path, ErrSource)
		}
	}
	f, err := atomicfile.Open(path)
	if err != nil {
		return nil // It is not a session file, or the write says what is wrong.
	}
	defer f.Close()
	if probeLock(f) == Live {
		return fmt.Errorf("%s: %w", path, ErrBusy)
	}
	return nil
}
