package home

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"wiretea/recorder/inventory"
)

// TestSort holds the orders of the recordings, that the heading says which one it is, and that
// the cursor is then on the first of them.
func TestSort(t *testing.T) {
	h := begin(t, &stock{inv: full()})
	for _, c := range []struct{ key, shows, want string }{
		{">", "· most errors first", "0 2 1 3 4"},
		{"<", "· fewest errors first", "1 3 4 2 0"},
		{">", "· longest first", "2 0 3 1 4"},
		{"<", "· shortest first", "4 1 3 0 2"},
		{">", "· largest first", "2 0 3 1 4"},
		{">", "· server A to Z", "4 1 0 3 2"},
		{">", "", "0 1 2 3 4"},
		{"<", "· oldest first", "4 3 2 1 0"},
	} {
		press(t, h, 120, 40, c.key)
		run(t, h, h.Refresh()) // A look does not change the order.
		var got []string
		for _, n := range h.shown {
			if r := &h.rows[n]; r.kind == recording {
				got = append(got, strings.TrimPrefix(r.session.Path, "/s/"))
			}
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.shows, got, c.want)
		}
		if r := h.selected(); r.kind != recording || r.session.Path != "/s/"+c.want[:1] {
			t.Errorf("%s: the cursor is on %v", c.shows, r.session)
		}
		if view := ansi.Strip(h.View(120, 40)); !strings.Contains(view, "Recordings  5"+strings.TrimRight(" "+c.shows, " ")) {
			t.Errorf("the heading does not say %q:\n%s", c.shows, view)
		}
	}
	h = begin(t, &stock{inv: &inventory.Inventory{}})
	press(t, h, 120, 40, ">")
	if view := ansi.Strip(h.View(120, 40)); !strings.Contains(view, "nothing to sort: fewer than two recordings") {
		t.Errorf("nothing is said where there is nothing to sort:\n%s", view)
	}
}
