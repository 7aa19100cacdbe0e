package composer_test

import (
	"os"
	"path/filepath"
	"testing"

	"wiretea/ui/composer"
)

// FuzzLoad checks that no file brings down what reads it as a history, and that it can
// be added to.
func FuzzLoad(f *testing.F) {
	s := composer.Store{Dir: f.TempDir()}
	f.Add([]byte(`{"method":"tools/call","params":{"name":"a"},"at":"2026-11-20T10:00:00Z"}` + "\n"))
	f.Add([]byte("{}\n\n[]\nnull\n{\"method\":1}\n{\"params\":\"\\ud800\"}\n"))
	f.Add([]byte(`{"method":"a","template":"b"}` + "\n" + `{"method":"a","template":"b"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(filepath.Join(s.Dir, "key.jsonl"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		before, _ := s.Load("key") // What cannot be read is left out.
		if _, err := s.Add("key", entry("tools/list", "")); err != nil {
			t.Fatalf("adding to a history: %v", err)
		}
		after, err := s.Load("key")
		if err != nil || len(after) == 0 || after[0].Method != "tools/list" || len(after) > len(before)+1 {
			t.Errorf("there were %d entries, and are %+v, %v", len(before), after, err)
		}
	})
}
