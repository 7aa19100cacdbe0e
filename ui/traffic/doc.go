// Package traffic is the pane that lists all traffic of a session, one line for each
// row.
//
//	snapshot ─► scan (in commands) ─► index of the rows shown ─► View: the lines around the cursor
//	                                       │
//	            search, next finding, operation: seek in it, in commands
//
// The pane keeps the numbers of the rows shown, 4 bytes each, and the beginnings of
// the bodies on the screen; it keeps no rows. View costs O(lines). Update never looks
// at more than a few thousand rows: longer work runs in commands, which can be
// cancelled, and shows its progress.
//
// Bodies are shown by the detail pane. Lines of stderr are listed only if the filter
// asks for them.
package traffic
