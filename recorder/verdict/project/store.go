package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"wiretea/recorder"
	"wiretea/session/atomicfile"
)

// A Store is the list of accepted files.
type Store struct{ path string }

// An Accepted is a file of which a content was accepted.
type Accepted struct{ Path, sum string }

// OpenStore returns the user's store. It need not exist.
func OpenStore() (*Store, error) {
	sessions, err := recorder.SessionsFolder("")
	return &Store{filepath.Join(filepath.Dir(sessions), "accepted")}, err
}

// List returns the accepted files by their paths; none where the store cannot be read.
func (s *Store) List() []Accepted {
	const most = 1 << 20
	text, _ := atomicfile.Read(s.path, most) // What is not known was not accepted.
	var all []Accepted
	for line := range strings.Lines(string(text)) {
		sum, quoted, _ := strings.Cut(strings.TrimSpace(line), " ")
		if path, err := strconv.Unquote(quoted); err == nil {
			all = append(all, Accepted{path, sum})
		}
	}
	return all
}

// Accepts reports whether a file's content was accepted, at its path.
func (s *Store) Accepts(set *Settings) bool {
	return slices.Contains(s.List(), Accepted{set.Path, set.sum})
}

// Accept accepts the content of a file instead of the one before.
func (s *Store) Accept(set *Settings) error {
	return s.write(append(s.without(set.Path), Accepted{set.Path, set.sum}))
}

// Forget forgets a file. The error is fs.ErrNotExist where it was not accepted.
func (s *Store) Forget(path string) error {
	rest := s.without(path)
	if len(rest) == len(s.List()) {
		return fs.ErrNotExist
	}
	return s.write(rest)
}

func (s *Store) without(path string) []Accepted {
	return slices.DeleteFunc(s.List(), func(a Accepted) bool { return a.Path == path })
}

func (s *Store) write(all []Accepted) error {
	slices.SortFunc(all, func(a, b Accepted) int { return strings.Compare(a.Path, b.Path) })
	var b strings.Builder
	for _, a := range all {
		fmt.Fprintf(&b, "%s %s\n", a.sum, strconv.Quote(a.Path))
	}
	err := os.MkdirAll(filepath.Dir(s.path), 0o700)
	return errors.Join(err, atomicfile.WriteBytes(s.path, atomicfile.Options{}, []byte(b.String())))
}

// State says how an accepted file stands today.
func (a Accepted) State() string {
	set, err := Read(a.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "gone"
	case err != nil || set.sum != a.sum:
		return "changed, does not count"
	}
	return "accepted"
}
