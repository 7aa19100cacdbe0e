package clientconfig

import (
	"bytes"

	"github.com/rogpeppe/go-internal/diff"
)

// unified returns the difference between two texts of a file in the form of
// diff -u; empty = none.
func unified(path string, before, after []byte) string {
	_, text, _ := bytes.Cut(diff.Diff(path, before, path, after), []byte("\n")) // without the line "diff PATH PATH"
	return string(text)
}
