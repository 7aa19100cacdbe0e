package recorder

import (
	"path/filepath"
	"strings"
)

// SessionsFolder returns dir, or the default folder of recordings when dir is
// empty.
func SessionsFolder(dir string) (string, error) {
	if dir != "" {
		return dir, nil
	}
	return DefaultDir()
}

// SessionName returns the name of a recording as a user types it: the file's name
// without the endings of session files and of compression.
func SessionName(path string) string {
	name := filepath.Base(path)
	return strings.TrimSuffix(strings.TrimSuffix(name, Packed(name)), Suffix)
}
