package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Options say how a file is written. The zero value replaces what is at the path
// by a file for its owner alone.
type Options struct {
	Mode    fs.FileMode  // Mode is the permissions of the new file; 0 = 0600.
	ModTime time.Time    // ModTime is the modification time of the new file; zero = now.
	New     bool         // New fails with fs.ErrExist where the path exists.
	NoSync  bool         // NoSync leaves it to the system when the content reaches the disk.
	Check   func() error // Check is called right before the rename and prevents it with an error; nil = no check.
}

// tempPrefix begins the names of temporary files.
const tempPrefix = ".wiretea-"

// Write calls fill with a new file and puts that file at the path. On any error,
// fill's included, the path is as it was before. An error about the temporary file names
// path.
func Write(path string, opt Options, fill func(w io.Writer) error) (err error) {
	defer func() { err = naming(path, err) }()
	temp, err := os.CreateTemp(filepath.Dir(path), tempPrefix+"*") // CreateTemp's mode is 0600.
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // It does not exist any more after a rename.
	err = fill(named{temp, path})
	if err == nil && opt.Mode != 0 {
		err = temp.Chmod(opt.Mode)
	}
	if err == nil && !opt.NoSync {
		err = temp.Sync()
	}
	if closed := temp.Close(); err == nil {
		err = closed
	}
	if err == nil && !opt.ModTime.IsZero() {
		err = os.Chtimes(temp.Name(), opt.ModTime, opt.ModTime)
	}
	if err == nil && opt.Check != nil {
		err = opt.Check()
	}
	switch {
	case err != nil:
		return err
	case opt.New:
		return link(temp.Name(), path)
	}
	return os.Rename(temp.Name(), path)
}

// named is the temporary file for path.
type named struct {
	temp *os.File
	path string
}

// Write is of io.Writer.
func (n named) Write(p []byte) (int, error) {
	written, err := n.temp.Write(p)
	return written, naming(n.path, err)
}

// naming returns an error about the temporary file as one about path.
func naming(path string, err error) error {
	failed, link := (*fs.PathError)(nil), (*os.LinkError)(nil)
	switch {
	case errors.As(err, &failed) && strings.HasPrefix(filepath.Base(failed.Path), tempPrefix):
		return &fs.PathError{Op: failed.Op, Path: path, Err: failed.Err}
	case errors.As(err, &link) && link.New == path:
		return &fs.PathError{Op: link.Op, Path: path, Err: link.Err}
	}
	return err
}

// WriteBytes is Write of data.
func WriteBytes(path string, opt Options, data []byte) error {
	return Write(path, opt, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// link gives a complete temporary file its name. A hard link fails where the name
// is taken; file systems without hard links have a moment between test and rename.
func link(temp, path string) error {
	if os.Link(temp, path) == nil {
		return nil
	}
	if _, err := os.Lstat(path); err == nil {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	return os.Rename(temp, path)
}
