package project

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzRead holds that a file of settings is read or refused, and that what is not known
// to be harmless waits.
func FuzzRead(f *testing.F) {
	for _, text := range []string{"", "[check]\nignore = [\"a\"]\ncall = [\"x={}\"]\n", "[check]\nfail-on = \"info\"\n", "[check]\nbaseline = \"../x\"\n", "[check\n", "\x00", "check.era = \"both\""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), File)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		set, err := Read(path)
		if err != nil {
			return
		}
		if n := len(set.Counting(false)) + len(set.Waiting()); n != len(set.All) || len(set.Counting(true)) != len(set.All) {
			t.Errorf("%q: %d of %d settings", text, n, len(set.All))
		}
	})
}
