package term

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"wiretea/recorder"
	"wiretea/session/atomicfile"
)

// SaveFile writes a file in one go, for its owner alone: it is there whole or not
// at all. A file that is there already, also at the end of a link, is refused unless
// force is set; what it is made from, and the file of a live session, always are.
//
// A pipe is opened until ctx ends.
func SaveFile(ctx context.Context, path, source string, force bool, write func(io.Writer) error) error {
	target, err := MaySave(path, source, force)
	if err != nil {
		return err
	}
	if info, err := os.Stat(target); err == nil && (!info.Mode().IsRegular() || recorder.IsDescriptor(path)) {
		return writeInto(ctx, path, write)
	}
	begun := false
	still := func() error { return recorder.MayReplace(target, source) }
	err = atomicfile.Write(target, atomicfile.Options{Check: still}, func(w io.Writer) error {
		begun = true
		return write(w)
	})
	switch failed, ok := errors.AsType[*fs.PathError](err); {
	case begun, err == nil:
	case errors.Is(recorder.NoFolder(target, err), recorder.ErrNoFolder):
		return Usage(FolderHint, "writing %s: %w", path, recorder.NoFolder(target, err))
	case ok:
		return &Failure{Code: ExitUsage, Err: fmt.Errorf("writing %s: %w", path, failed.Err)}
	default:
		return &Failure{Code: ExitUsage, Err: fmt.Errorf("writing %s: %w", path, err)}
	}
	return notReplaced(err)
}

// MaySave returns where SaveFile writes, which is path or where it links to, or why it
// does not.
func MaySave(path, source string, force bool) (target string, err error) {
	if path == "" {
		return "", Usage("give the file a name", "the name of the output is empty")
	}
	target = path
	if link, err := os.Lstat(path); err == nil && link.Mode()&fs.ModeSymlink != 0 {
		if target, err = filepath.EvalSymlinks(path); err != nil {
			return "", Usage("name another file", "%s is a link to a file that does not exist", path)
		}
	}
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return target, nil
	case err != nil:
		return "", fmt.Errorf("writing %s: %w", path, err)
	case info.IsDir():
		return "", Usage("name a file in it", "%s is a folder", path)
	}
	if err := recorder.MayReplace(target, source); err != nil {
		return "", notReplaced(err)
	}
	if info.Mode().IsRegular() && !recorder.IsDescriptor(path) && !force {
		return "", Usage("--force replaces it", "%s exists", path)
	}
	return target, nil
}

// notReplaced words why a file is not replaced; it returns any other error as it is.
func notReplaced(err error) error {
	switch {
	case errors.Is(err, recorder.ErrSource):
		return Usage("give the copy another name", "%w", err)
	case errors.Is(err, recorder.ErrBusy):
		return Usage("name another file, or end the session first", "%w", err)
	}
	return err
}

// writeInto writes into what is not to be replaced: a pipe, a terminal.
func writeInto(ctx context.Context, path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ENXIO) { // Nobody reads from the pipe yet.
		f, err = atomicfile.Within(ctx, func() (*os.File, error) { return os.OpenFile(path, os.O_WRONLY, 0) })
	}
	if err != nil {
		return &Failure{Code: ExitUsage, Err: fmt.Errorf("writing %s: %w", path, err)}
	}
	err = write(Output(f))
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
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
