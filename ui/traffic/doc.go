// Package traffic is the pane with the list of everything that crossed: one line
// a row of the session.
//
//	snapshot ─► scan (in commands) ─► index of the rows shown ─► View: the lines around the cursor
//	                                       │
//	            search, next finding, operation: seek in it, in commands
//
// The pane holds no rows, only the numbers of those shown, 4 bytes each, and the
// beginnings of the bodies that are on the screen. View costs O(lines); Update
// never looks at more than a few thousand rows, whatever is longer runs in
// commands that can be cancelled, and shows how far it has come.
//
// It does not show bodies, which is the detail's business, and lists stderr only
// where the filter asks for it.
package traffic
