package term

import (
	"os"
	"path/filepath"
	"strings"

	"wiretea/recorder"
)

// FindSession returns the path of a recording that is given by its path or its
// name; "-" is standard input.
func FindSession(dir, name string) string {
	if name == "-" || strings.ContainsRune(name, os.PathSeparator) {
		return name
	}
	if _, err := os.Stat(name); err == nil {
		return name
	}
	folder, err := recorder.SessionsFolder(dir)
	if err != nil {
		return name
	}
	path := SessionPath(folder, name)
	for _, ending := range []string{"", ".zst", ".gz"} {
		if _, err := os.Stat(path + ending); err == nil {
			return path + ending
		}
	}
	return name
}

// SessionPath takes a path as it is, and a name as that of a recording in the
// folder.
func SessionPath(folder, name string) string {
	if strings.ContainsRune(name, filepath.Separator) {
		return name
	}
	if !strings.Contains(name, recorder.Suffix) {
		name += recorder.Suffix
	}
	return filepath.Join(folder, name)
}

func SessionNames(dir string) []string {
	folder, err := recorder.SessionsFolder(dir)
	if err != nil {
		return nil
	}
	list, err := recorder.List(folder)
	if err != nil {
		return nil
	}
	var all []string
	for _, info := range list {
		all = append(all, recorder.SessionName(info.Path))
	}
	return all
}
