package pane_test

import (
	"os"
	"path/filepath"
	"testing"

	"wiretea/ui/pane"
)

// TestReadEdited holds that an editor which leaves its file empty, or removes it, changes nothing.
func TestReadEdited(t *testing.T) {
	path := filepath.Join(t.TempDir(), "values.json")
	if _, err := pane.ReadEdited(path); err == nil || err.Error() != "the editor removed the file: nothing is changed" {
		t.Errorf("removed: %v", err)
	}
	for text, want := range map[string]bool{"": false, " \n": false, "{}\n": true} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := pane.ReadEdited(path); (err == nil) != want || want && got != text {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}
