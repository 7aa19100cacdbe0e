// Package merged is several sessions on one screen: which of them is shown, and the view of
// all of them, a list of their rows in the order of the wall clock: what a client did across
// its servers.
//
//	key, click ─► Sessions ─► the panes of the session of the selected row
//	                 │
//	                List: rows that each session's pane of traffic shows ─► merge.Order ─► lines, drawn by those panes
//
// While all sessions are shown the list and the panes follow each other: Sessions has both on
// the same row. The list has no filter, no search and no marks of its own: it shows the rows
// that the panes show, and draws each as its pane does, behind the letter of its session. The
// order is made in a command, one at a time. A list that is not shown does nothing.
package merged
