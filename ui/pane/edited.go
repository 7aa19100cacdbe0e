package pane

import (
	"fmt"
	"os"
	"path/filepath"
)

// longestEdit is how much is taken back from an editor, in bytes.
const longestEdit = 16 << 20

// ReadEdited reads a file that somebody has edited in the editor that EditMsg opened. It
// returns an error for one of more than 16 MiB.
func ReadEdited(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if info.Size() > longestEdit {
		return "", fmt.Errorf("%s is longer than what can be taken back", filepath.Base(path))
	}
	text, err := os.ReadFile(path)
	return string(text), err
}
