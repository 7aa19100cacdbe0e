package config

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"wiretea/session"
)

// FuzzLoad checks that no settings and no state bring the program down, and that what is
// kept of them is the same after it was saved.
func FuzzLoad(f *testing.F) {
	dir := f.TempDir()
	f.Add([]byte("theme = \"dark\"\ntime = \"delta\"\nnotice = \"10s\"\n"), []byte("theme = \"light\"\n[history]\nfilter = [\"is:error\"]\n"))
	f.Add([]byte("notice = -1\n[keys]\nquit = [1]\n"), []byte("[layout]\ntimeline = true\n"))
	f.Add([]byte("a.b.c = {}\n[[theme]]"), []byte("\xff"))
	f.Fuzz(func(t *testing.T, settings, state []byte) {
		for name, text := range map[string][]byte{"config.toml": settings, "state.toml": state} {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, _ := Load(dir)
		if span := s.NoticeFor(session.Info); span <= 0 {
			t.Errorf("a notice stays for %v", span)
		}
		for _, f := range s.Faults {
			if strings.ContainsFunc(f.Key, func(r rune) bool { return r < ' ' }) {
				t.Errorf("the key of a fault is %q", f.Key)
			}
		}
		// What is written is read, and nothing else changes, or nothing is written.
		if err := Write(dir, Change{"filters", "a b", "is:error"}); err == nil {
			again, _ := Load(dir)
			filters := maps.Clone(s.Filters)
			if filters == nil {
				filters = map[string]string{}
			}
			filters["a b"] = "is:error"
			if !maps.Equal(again.Filters, filters) || again.Theme != s.Theme || !reflect.DeepEqual(again.Keys, s.Keys) || !slices.Equal(again.Colours, s.Colours) {
				t.Errorf("after a filter was written into\n%s\nthe settings are %+v", settings, again)
			}
		}
		if err := s.Save(dir); err != nil {
			t.Fatalf("saving what was loaded: %v", err)
		}
		again, _ := Load(dir)
		if !reflect.DeepEqual(again.Layout, s.Layout) || len(again.history) != len(s.history) {
			t.Errorf("loaded %+v, %v, saved %+v, %v", again.Layout, again.history, s.Layout, s.history)
		}
		for name, lines := range s.history {
			if kept := again.history[name]; len(kept) != len(lines) {
				t.Errorf("the history of %q was %q, is %q", name, lines, kept)
			}
		}
	})
}
