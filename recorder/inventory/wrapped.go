package inventory

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"wiretea/session/atomicfile"
	"wiretea/session/clientconfig"
)

// WrapPlan returns the change that puts wiretea in front of a server, and what makes
// it.
func WrapPlan(place clientconfig.Place, f clientconfig.File, s clientconfig.Server) (c clientconfig.Change, apply func() error, err error) {
	binary, err := ownPath()
	if err == nil {
		c, err = f.Wrap(s, binary)
	}
	return c, func() error {
		if err := remember(place, f); err != nil {
			return err
		}
		return c.Apply()
	}, err
}

// A wrapState has the files in which entries were wrapped. It has no secrets.
type wrapState struct {
	Files []wrappedFile `json:"files"`
}

type wrappedFile struct {
	Client  string `json:"client"`
	Path    string `json:"path"`
	Project string `json:"project,omitempty"` // Project is the folder of a project's file.
}

func wrapStatePath(place clientconfig.Place) string {
	return filepath.Join(place.Home, ".local", "state", "wiretea", "wrapped.json")
}

func readWrapState(place clientconfig.Place) (s wrapState, err error) {
	data, err := atomicfile.Read(wrapStatePath(place), 1<<20)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case err == nil:
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		err = fmt.Errorf("reading the list of wrapped files %s: %w", wrapStatePath(place), err)
	}
	return s, err
}

// remember adds a file in which an entry was wrapped to those that Find reads, unless it
// is one of the user's that Find reads anyway.
func remember(place clientconfig.Place, f clientconfig.File) error {
	if f.Level == clientconfig.User && slices.ContainsFunc(clientconfig.Find(place), func(known clientconfig.File) bool { return SamePath(known.Path, f.Path) }) {
		return nil
	}
	state, err := readWrapState(place)
	if err != nil {
		return err
	}
	return state.add(place, f)
}

// Find returns the files of clientconfig.Find, and those elsewhere in which entries are
// still wrapped. What is elsewhere is judged as what is a project's.
func Find(place clientconfig.Place) []clientconfig.File {
	files := clientconfig.Find(place)
	state, err := readWrapState(place)
	if err != nil {
		return files // Who needs the state says that it cannot be read.
	}
	for _, other := range state.Files {
		if slices.ContainsFunc(files, func(f clientconfig.File) bool { return f.Path == other.Path }) {
			continue
		}
		f := clientconfig.Read(other.Client, other.Path).InProject(cmp.Or(other.Project, filepath.Dir(other.Path)))
		if slices.ContainsFunc(f.Servers, func(s clientconfig.Server) bool { return s.Wrapped }) {
			files = append(files, f)
		}
	}
	return files
}

// add notes a file and writes the state, if it was not noted.
func (s wrapState) add(place clientconfig.Place, f clientconfig.File) error {
	if old, err := readWrapState(place); err == nil {
		s.Files = old.Files
	}
	path, err := filepath.Abs(f.Path)
	if err != nil {
		return err
	}
	file := wrappedFile{Client: f.Client, Path: path}
	if f.Level == clientconfig.Project {
		file.Project = place.Project
	}
	if slices.Contains(s.Files, file) {
		return nil
	}
	s.Files = append(slices.DeleteFunc(s.Files, func(old wrappedFile) bool { return old.Path == path }), file)
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	to := wrapStatePath(place)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return atomicfile.WriteBytes(to, atomicfile.Options{Mode: 0o600}, data)
}
