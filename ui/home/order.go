package home

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/inventory"
)

// An order is how the recordings are sorted. Those that are equal are in the order of the
// inventory, the newest first.
type order struct {
	words   [2]string // words name the order, and its reverse.
	compare func(a, b *inventory.Session) int
}

// orders are all orders. The first one is that of a new list.
var orders = [...]order{
	{[2]string{"newest first", "oldest first"}, func(a, b *inventory.Session) int { return b.Start.Compare(a.Start) }},
	{[2]string{"most errors first", "fewest errors first"}, func(a, b *inventory.Session) int {
		return cmp.Or(cmp.Compare(b.Errors, a.Errors), cmp.Compare(b.Warnings, a.Warnings), cmp.Compare(b.Infos, a.Infos))
	}},
	{[2]string{"longest first", "shortest first"}, func(a, b *inventory.Session) int { return cmp.Compare(b.Length, a.Length) }},
	{[2]string{"largest first", "smallest first"}, func(a, b *inventory.Session) int { return cmp.Compare(b.Size, a.Size) }},
	{[2]string{"server A to Z", "server Z to A"}, func(a, b *inventory.Session) int {
		return strings.Compare(strings.ToLower(a.Server), strings.ToLower(b.Server))
	}},
}

// isSorted reports whether the user has changed the order.
func (h *Home) isSorted() bool { return h.order != 0 || h.reversed }

// orderWords say how the recordings are sorted.
func (h *Home) orderWords() string {
	if h.reversed {
		return orders[h.order].words[1]
	}
	return orders[h.order].words[0]
}

// arrange sorts the recordings, which are the last rows.
func (h *Home) arrange() {
	if !h.isSorted() {
		return
	}
	from := max(0, slices.IndexFunc(h.rows, func(r row) bool { return r.kind == recording }))
	compare := orders[h.order].compare
	slices.SortStableFunc(h.rows[from:], func(a, b row) int {
		if a.kind != recording || b.kind != recording {
			return 0
		}
		if h.reversed {
			a, b = b, a
		}
		return compare(a.session, b.session)
	})
}

// sort sorts the recordings by the next order, or reverses the order, and selects the
// first of them.
func (h *Home) sort(next bool) tea.Cmd {
	if next {
		h.order, h.reversed = (h.order+1)%len(orders), false
	} else {
		h.reversed = !h.reversed
	}
	h.rows = rowsOf(h.inv)
	h.arrange()
	h.sift()
	first := slices.IndexFunc(h.shown, func(n int) bool { return h.rows[n].kind == recording })
	h.move(max(0, first) - h.at)
	return h.judge()
}
