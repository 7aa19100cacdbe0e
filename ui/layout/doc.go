// Package layout is how the panes share the screen: which are shown and where, which one
// has the focus, which is zoomed or open as a page over the others, and the borders between
// them, which are dragged.
//
//	body ─► Shown ─► Place: pane ► Rect
//	Do, Show, Turn, Back ─► Focus, Zoom, Page
//
// It knows the panes by their names alone. What the user has chosen of it, config.Layout, is
// kept for the next time.
package layout
