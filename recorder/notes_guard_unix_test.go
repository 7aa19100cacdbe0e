//go:build unix

package recorder_test

import (
	"os"
	"path/filepath"
	"testing"

	"wiretea/recorder"
)

// TestGuardMode checks that notes are their owner's alone.
func TestGuardMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.mcpcap.jsonl")
	if err := recorder.AppendNote(path, "sid", recorder.Note{N: 1, Mark: true, At: noon}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(recorder.NotesPath(path)); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}
