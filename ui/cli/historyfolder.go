package cli

import (
	"path/filepath"

	"wiretea/recorder"
)

// historyFolder is where what was composed for each server is kept: beside the
// sessions; empty where there is no home.
func historyFolder() string {
	dir, err := recorder.DefaultDir()
	if err != nil {
		return ""
	}
	return filepath.Join(filepath.Dir(dir), "history")
}
