package keyhelp_test

import (
	"testing"

	"wiretea/ui/keyhelp"
	"wiretea/ui/keys"
)

// TestFind holds what is found first for what people type: keys, names, words of other
// programs, plurals, and words with a letter wrong or left out.
func TestFind(t *testing.T) {
	box := keyhelp.Box{Pages: []string{"all", "more"}}
	for k := range (keys.Map{}).All() {
		if k.Help != "" {
			box.Entries = append(box.Entries, keyhelp.Of(k))
		}
	}
	box.Entries = append(box.Entries, keyhelp.Entry{Keys: ":goto N", Name: "goto", Text: "go to frame N", Also: keys.Also("goto")},
		keyhelp.Entry{Keys: "is:error", Text: "requests that failed", Page: "more"})
	for typed, want := range map[string]string{
		"zoom": "\\", "goto": ":goto N", "jump line": ":goto N", "ctrl-x": "ctrl-x", "yank path": "yp", "is:err": "is:error",
		"percentile": "s", "bookmarks": "m", "maximize": "\\", "fullscren": "\\", "stattistics": "s", "rstart": "R", "CLIPBOARD raw": "yr",
	} {
		box.Search, box.At = "", 0
		box.Typed(typed)
		if at := box.Chosen(); at < 0 || box.Entries[at].Keys != want {
			t.Errorf("%q finds %d entries, not %q first: %v", typed, len(box.Found), want, box.Found)
		}
	}
	for _, typed := range []string{"qqqq", "zoom qqqq", "xyzzyx"} {
		box.Search = ""
		box.Typed(typed)
		if len(box.Found) > 0 {
			t.Errorf("%q finds %q", typed, box.Entries[box.Found[0]].Text)
		}
	}
	box.Search = ""
	if box.Find(); len(box.Found) != len(box.Entries)-1 {
		t.Errorf("the first page has %d of %d entries; one is of another page", len(box.Found), len(box.Entries))
	}
}
