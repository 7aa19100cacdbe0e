package atomicfile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"wiretea/session/atomicfile"
)

// only fails unless the directory has just these files with these contents.
func only(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil || string(text) != want[e.Name()] {
			t.Errorf("%s: %q, %v, want %q", e.Name(), text, err, want[e.Name()])
		}
	}
	if len(entries) != len(want) {
		t.Errorf("%d files, want %d", len(entries), len(want))
	}
}

func TestWrite(t *testing.T) {
	old := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for name, c := range map[string]struct {
		before string // before is the content of the file; empty = there is none.
		opt    atomicfile.Options
		mode   fs.FileMode
	}{
		"new":         {mode: 0o600},
		"replaced":    {before: "old", mode: 0o600},
		"mode":        {before: "old", opt: atomicfile.Options{Mode: 0o644}, mode: 0o644},
		"exclusive":   {opt: atomicfile.Options{New: true}, mode: 0o600},
		"time":        {opt: atomicfile.Options{ModTime: old, New: true}, mode: 0o600},
		"not flushed": {opt: atomicfile.Options{NoSync: true}, mode: 0o600},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "file")
			if c.before != "" {
				if err := os.WriteFile(path, []byte(c.before), 0o640); err != nil {
					t.Fatal(err)
				}
			}
			if err := atomicfile.WriteBytes(path, c.opt, []byte("text")); err != nil {
				t.Fatal(err)
			}
			only(t, dir, map[string]string{"file": "text"})
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if info.Mode().Perm() != c.mode && runtime.GOOS != "windows" {
				t.Errorf("mode %o, want %o", info.Mode().Perm(), c.mode)
			}
			if !c.opt.ModTime.IsZero() && !info.ModTime().Equal(c.opt.ModTime) {
				t.Errorf("modified %s, want %s", info.ModTime(), c.opt.ModTime)
			}
		})
	}
}

// After an error the path has its old content, and there is no other file.
func TestWriteFails(t *testing.T) {
	failure := errors.New("failure")
	text := func(w io.Writer) error { _, err := io.WriteString(w, "te"); return err }
	for name, c := range map[string]struct {
		opt  atomicfile.Options
		fill func(io.Writer) error
		want error
	}{
		"fill":      {fill: func(w io.Writer) error { return errors.Join(text(w), failure) }, want: failure},
		"check":     {opt: atomicfile.Options{Check: func() error { return failure }}, fill: text, want: failure},
		"exclusive": {opt: atomicfile.Options{New: true}, fill: text, want: fs.ErrExist},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "file")
			if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := atomicfile.Write(path, c.opt, c.fill); !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
			only(t, dir, map[string]string{"file": "old"})
		})
	}
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "none", "file"), dir} { // The one has no directory, the other cannot be replaced.
		err := atomicfile.WriteBytes(path, atomicfile.Options{}, nil)
		if failed, ok := errors.AsType[*fs.PathError](err); !ok || failed.Path != path || errors.Is(err, fs.ErrNotExist) != (path != dir) {
			t.Errorf("%s: error %v", path, err)
		}
	}
}

// TestWriteErrorNames checks that an error of the file that fill writes names the path.
func TestWriteErrorNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	late := io.Discard
	if err := atomicfile.Write(path, atomicfile.Options{}, func(w io.Writer) error { late = w; return nil }); err != nil {
		t.Fatal(err)
	}
	_, err := late.Write([]byte("text")) // The file is closed.
	if failed, ok := errors.AsType[*fs.PathError](err); !ok || failed.Path != path {
		t.Errorf("error %v", err)
	}
}

// Until the file is complete, the path has the old content and the temporary file
// stands in the same directory; Check sees the complete file.
func TestOldContentUntilComplete(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	count := func() int {
		list, err := filepath.Glob(filepath.Join(dir, ".wiretea-*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	check := func() error {
		if text, _ := os.ReadFile(path); string(text) != "old" || count() != 1 {
			t.Errorf("%q with %d temporary files", text, count())
		}
		return nil
	}
	err := atomicfile.Write(path, atomicfile.Options{Check: check}, func(w io.Writer) error {
		_, err := io.WriteString(w, "new")
		return errors.Join(err, check())
	})
	if err != nil {
		t.Fatal(err)
	}
	only(t, dir, map[string]string{"file": "new"})
}

// A link is replaced, and what it names stays as it is.
func TestSymlinkReplaced(t *testing.T) {
	dir, other := t.TempDir(), filepath.Join(t.TempDir(), "other")
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(other, []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, path); err != nil {
		t.Skip(err)
	}
	if err := atomicfile.WriteBytes(path, atomicfile.Options{}, []byte("text")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	only(t, filepath.Dir(other), map[string]string{"other": "other"})
}
