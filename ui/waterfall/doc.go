// Package waterfall is the page of the session on a time axis: a line a request, with a bar
// from its first byte to its answer's last, and above them lanes of what else happened.
//
//	ShownMsg ─► a command: collect ─► chart (which rows, where idle time is folded) ─► View
//	a move of the cursor ─► PointMsg ─► traffic's cursor, and back by CursorMovedMsg
//
// The chart holds numbers of rows and times only. View reads the rows that it shows, so that
// a frame costs as much as there are lines and columns on the screen, however long the
// session is. The page counts only while it is open.
package waterfall
