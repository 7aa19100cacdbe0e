package keyhelp

import (
	"strings"

	"wiretea/ui/cells"
	"wiretea/ui/style"
)

// Hints is the line of keys at the bottom of the screen. It ends with the key of the
// help, whatever there is room for.
type Hints struct {
	th   *style.Theme
	w    int
	used int
	line strings.Builder
}

// NewHints returns an empty line of w cells.
func NewHints(th *style.Theme, w int) *Hints { return &Hints{th: th, w: w} }

// Add adds a key and what it does. It reports false, and adds nothing, where there
// is no room.
func (h *Hints) Add(key, what string) bool {
	const help = "  ? help "
	n := cells.Width(key) + 1 + cells.Width(what) + 2
	if h.used+n+cells.Width(help) > h.w {
		return false
	}
	h.line.WriteString("  " + h.th.Accent.Paint(key) + h.th.Dim.Paint(" "+what))
	h.used += n
	return true
}

// String returns the line.
func (h *Hints) String() string {
	return cells.Fit(h.line.String()+"  "+h.th.Accent.Paint("?")+h.th.Dim.Paint(" help"), h.w)
}
