package term

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"wiretea/session/atomicfile"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// SaveFile writes a file in one go, for its owner alone: it is there whole or not
// at all. A file that is there already is refused unless force is set, and what it
// is made from always is.
func SaveFile(path, source string, force bool, write func(io.Writer) error) (err error) {
	info, err := os.Lstat(path)
	switch {
	case err == nil && sameFile(path, source):
		return Usage("give the copy another name", "%s is the original", path)
	case err == nil && info.IsDir():
		return Usage("name a file in it", "%s is a folder", path)
	case err == nil && !force && info.Mode().IsRegular():
		return Usage("--force replaces it", "%s exists", path)
	case err == nil && !info.Mode().IsRegular():
		return writeInto(path, write)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("writing %s: %w", path, err)
	}
	begun := false
	err = atomicfile.Write(path, atomicfile.Options{}, func(w io.Writer) error {
		begun = true
		return write(w)
	})
	if err != nil && !begun {
		return &Failure{Code: ExitUsage, Err: fmt.Errorf("writing %s: %w", path, err)}
	}
	if err != nil {
		return err
	}
	// An index of what had that name before says nothing of this.
	_ = os.Remove(path + ".idx")
	return nil
}

// writeInto writes into what is not a regular file: a pipe, a terminal, a link.
func writeInto(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return &Failure{Code: ExitUsage, Err: fmt.Errorf("writing %s: %w", path, err)}
	}
	err = write(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	two, err := os.Stat(b)
	return err == nil && os.SameFile(one, two)
}

// Packed writes through what packs a file of that name.
func Packed(path string, write func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		var pack io.WriteCloser
		switch {
		case strings.HasSuffix(path, ".gz"):
			pack = gzip.NewWriter(w)
		case strings.HasSuffix(path, ".zst"):
			z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
			if err != nil {
				return err
			}
			pack = z
		default:
			return write(w)
		}
		err := write(pack)
		if closed := pack.Close(); err == nil {
			err = closed
		}
		return err
	}
}
