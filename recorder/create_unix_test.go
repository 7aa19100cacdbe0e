//go:build unix

package recorder

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestNothingLeft holds what becomes of a file into which nothing could be written: one
// that the recording made is removed, whatever else has its name stays.
func TestNothingLeft(t *testing.T) {
	for name, c := range map[string]struct {
		before, during func(path string) error
		left           bool
	}{
		"made for it":  {},
		"there before": {before: func(path string) error { return os.WriteFile(path, nil, 0o600) }, left: true},
		"another file now": {during: func(path string) error {
			return errors.Join(os.Rename(path, path+".moved"), os.WriteFile(path, nil, 0o600))
		}, left: true},
		"removed meanwhile": {during: os.Remove},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "full"+Suffix)
			if c.before != nil {
				if err := c.before(path); err != nil {
					t.Fatal(err)
				}
			}
			sink, err := Create(path, false)
			if err != nil {
				t.Fatal(err)
			}
			sink.Unread()
			full, err := os.Open(path) // takes no byte, as a full disk
			if err != nil {
				t.Fatal(err)
			}
			defer sink.named.f.Close()
			sink.named.f = osFile{full}
			w := NewWriter(sink, header(), Options{})
			if c.during != nil {
				if err := c.during(path); err != nil {
					t.Fatal(err)
				}
			}
			w.close(io.EOF)
			if err := sink.Reason(); err == nil || errors.Is(err, ErrRest) {
				t.Errorf("the reason is %v, not that nothing is recorded", err)
			}
			if err := sink.Close(); err != nil {
				t.Error(err)
			}
			if removed := !c.left && c.during == nil; (sink.Final() == "") != removed {
				t.Errorf("the path is %q", sink.Final())
			}
			if _, err := os.Lstat(path); (err == nil) != c.left {
				t.Errorf("in the end: %v", err)
			}
		})
	}
}
