package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"wiretea/ui/cli/display"
	"wiretea/ui/home"
)

// TestOpenClient holds that the sessions of a client process are opened as one, without one
// that cannot be, and that nothing is opened where none can be.
func TestOpenClient(t *testing.T) {
	a, b := newTape().tools().bye().save(t, "a.jsonl"), crashed().save(t, "b.jsonl")
	gone := filepath.Join(t.TempDir(), "gone.mcpcap.jsonl")
	var says strings.Builder
	d := newOpener(t.TempDir(), &display.Notices{})
	d.Warn = &says
	visit, err := d.Open(t.Context(), home.Client{Sessions: []home.Ask{home.Open{Path: a}, home.Open{Path: gone}, home.Open{Path: b}}})
	if err != nil || len(visit.Sources) != 2 || !visit.Merged || visit.Sources[0].Path() != a || visit.Sources[1].Path() != b {
		t.Fatal(visit, err)
	}
	visit.Close()
	if visit, err := d.Open(t.Context(), home.Client{Sessions: []home.Ask{home.Open{Path: gone}}}); err == nil {
		t.Fatal(visit)
	}
	if lines := d.End(t.Context()); lines != nil {
		t.Errorf("something is open still: %q", lines)
	}
	if want := "gone is left out: "; strings.Count(says.String(), want) != 2 {
		t.Errorf("got %q, want %q twice", &says, want)
	}
}
