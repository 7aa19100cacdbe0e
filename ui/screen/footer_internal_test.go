package screen

import (
	"slices"
	"testing"

	"wiretea/ui/keys"
)

// TestHintsHavePlaces holds that no hint of the table is forgotten in the footer.
func TestHintsHavePlaces(t *testing.T) {
	for i := range keys.Table {
		k := &keys.Table[i]
		switch {
		case k.Hint == "", k.Scopes[0] == keys.Home, k.Scopes[0] == keys.Composer, k.Action == keys.Help, k.Action == keys.Answer, k.Group == "time", k.Group == "hold":
			continue
		case k.Scopes[0] == keys.Global && !slices.Contains(often, k.Action):
			t.Errorf("%s has the hint %q and no place in the footer", k.Action, k.Hint)
		}
	}
	for _, a := range often {
		if k := (keys.Map{}).Find(a, keys.Traffic); k == nil || k.Hint == "" {
			t.Errorf("%s has a place in the footer and no hint", a)
		}
	}
}
