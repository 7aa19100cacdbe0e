package cli

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A useWatch is told by the system which files below a folder are opened, made, renamed,
// removed or changed, by whatever process.
type useWatch struct {
	t       *testing.T
	top     string
	fd      int
	folders map[int32]string
}

// watchUses begins with the folders that are there now.
func watchUses(t *testing.T, top string) *useWatch {
	t.Helper()
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	w := &useWatch{t, top, fd, map[int32]string{}}
	if err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		wd, err := syscall.InotifyAddWatch(fd, path, syscall.IN_ALL_EVENTS)
		w.folders[int32(wd)] = path
		return err
	}); err != nil {
		t.Fatal(err)
	}
	w.since()
	return w
}

// since returns the names of the files, and of the folders, that were used since the last
// call.
func (w *useWatch) since() map[string]bool {
	w.t.Helper()
	used, buf := map[string]bool{}, make([]byte, 1<<16)
	for {
		n, err := syscall.Read(w.fd, buf)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EAGAIN):
			return used
		case err != nil:
			w.t.Fatal(err)
		}
		for rest := buf[:n]; len(rest) >= syscall.SizeofInotifyEvent; {
			wd, mask := int32(binary.NativeEndian.Uint32(rest)), binary.NativeEndian.Uint32(rest[4:])
			size := syscall.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(rest[12:]))
			name, _, _ := bytes.Cut(rest[syscall.SizeofInotifyEvent:size], []byte{0})
			rest = rest[size:]
			if mask&syscall.IN_Q_OVERFLOW != 0 {
				return nil // Some are lost: it may have been any.
			}
			path := filepath.Join(w.folders[wd], string(name))
			used[strings.TrimPrefix(strings.TrimPrefix(path, w.top), "/")] = true
		}
	}
}
