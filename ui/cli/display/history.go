package display

import (
	"path/filepath"

	"wiretea/recorder"
)

// HistoryFolder is where composed requests are kept, a file for each server: beside the
// sessions. It is empty where the home folder is unknown.
func HistoryFolder() string {
	dir, err := recorder.DefaultDir()
	if err != nil {
		return ""
	}
	return filepath.Join(filepath.Dir(dir), "history")
}
