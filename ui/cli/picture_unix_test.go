//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPicture holds that a picture is taken of a screen on which the keys that end
// the program mean something else.
func TestPicture(t *testing.T) {
	file := filepath.Join(t.TempDir(), "screen.svg")
	o := wiretea(t, "", "bench", "picture", "--until", "╰", "--keys", "f", "--settle", "0s", "--title", "help", file)
	if o.code != 0 || o.err != "" {
		t.Fatalf("no picture: %v", o)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(text), "<svg ") || !strings.Contains(string(text), ">help</text>") {
		t.Errorf("it is no picture:\n%.300s", text)
	}
}
