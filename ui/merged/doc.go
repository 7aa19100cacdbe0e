// Package merged is the list of the rows of several sessions, in the order of the wall
// clock: what a client did across its servers.
//
//	rows that each session's pane of traffic shows ─► merge.Order ─► lines, drawn by those panes
//
// It has no filter, no search and no marks of its own: it shows the rows that the panes
// show, and draws each as its pane does, behind the letter of its session. The order is made
// in a command, one at a time. A list that is not shown does nothing.
package merged
