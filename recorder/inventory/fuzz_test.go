package inventory

import (
	"os"
	"path/filepath"
	"testing"

	"wiretea/session/clientconfig"
)

// FuzzWrapState checks that no file brings down what reads it as the list of wrapped files.
func FuzzWrapState(f *testing.F) {
	place := clientconfig.Place{Home: f.TempDir(), OS: "linux"}
	path := wrapStatePath(place)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(`{"files":[{"client":"cursor","path":"/no/such/file"}]}`))
	f.Add([]byte(`{"files":[{"client":"\u0000","path":"` + "/dev/null" + `"},null]}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := readWrapState(place); err != nil || len(s.Files) > 0 && filepath.IsAbs(s.Files[0].Path) && s.Files[0].Path != "/no/such/file" {
			return // It may name any file of this machine.
		}
		_ = Find(place)
	})
}
