package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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

// Write calls fill with a new file and puts that file at the path. On any error,
// fill's included, the path is as it was before.
func Write(path string, opt Options, fill func(w io.Writer) error) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".wiretea-*") // CreateTemp's mode is 0600.
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // It does not exist any more after a rename.
	err = fill(temp)
	if err == nil && opt.Mode != 0 {
		err = temp.Chmod(opt.Mode)
	}
	if err == nil && !opt.NoSync {
		err = temp.Sync()
	}
	err = errors.Join(err, temp.Close())
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
