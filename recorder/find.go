package recorder

import (
	"os"
	"path/filepath"
	"strings"
)

// Find returns the path of a session file that is given by its path or by its name, which is
// looked for in a sessions folder; empty = the default one, and the one that is used where
// that cannot be written. A name that is not found is returned as it is; "-" is standard
// input.
func Find(dir, name string) string {
	if name == "-" || strings.ContainsRune(name, os.PathSeparator) {
		return name
	}
	if _, err := os.Stat(name); err == nil {
		return name
	}
	folder, err := SessionsFolder(dir)
	if err != nil {
		return name
	}
	folders := []string{folder}
	if dir == "" {
		folders = append(folders, FallbackFolder())
	}
	for _, folder := range folders {
		path := PathIn(folder, name)
		for _, ending := range []string{"", ".zst", ".gz"} {
			if _, err := os.Stat(path + ending); err == nil {
				return path + ending
			}
		}
	}
	return name
}

// PathIn returns the path of the session file of a name in a folder. A path is returned as
// it is.
func PathIn(folder, name string) string {
	if strings.ContainsRune(name, filepath.Separator) {
		return name
	}
	if !strings.Contains(name, Suffix) {
		name += Suffix
	}
	return filepath.Join(folder, name)
}
