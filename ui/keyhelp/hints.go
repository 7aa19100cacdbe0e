package keyhelp

import (
	"strings"

	"wiretea/ui/cells"
	"wiretea/ui/style"
)

// Hints is the line of keys at the bottom of the screen.
type Hints struct {
	th   *style.Theme
	w    int
	last string // last is what the line ends with, whatever there is room for.
	line strings.Builder
	used int
}

// NewHints returns a line of w cells that ends with the key of the help; empty = none.
func NewHints(th *style.Theme, w int, help string) *Hints {
	h := &Hints{th: th, w: w}
	if help != "" {
		h.last = h.hint(help, "help ")
	}
	return h
}

func (h *Hints) hint(key, what string) string {
	return "  " + h.th.Accent.Paint(key) + h.th.Dim.Paint(" "+what)
}

// Add adds a key and what it does. It reports false, and adds nothing, where there
// is no room.
func (h *Hints) Add(key, what string) bool {
	hint := h.hint(key, what)
	if cells.Width(hint)+h.used+cells.Width(h.last) > h.w {
		return false
	}
	h.line.WriteString(hint)
	h.used += cells.Width(hint)
	return true
}

// Used is how many cells the hints that were added take; the key of the help comes next.
func (h *Hints) Used() int { return h.used }

// String returns the line.
func (h *Hints) String() string { return cells.Fit(h.line.String()+h.last, h.w) }
