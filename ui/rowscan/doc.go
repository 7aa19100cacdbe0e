// Package pick finds the rows of a session that somebody wants, in the
// background, and keeps up with a session that goes on.
//
//	Moved ► Picker.Next ► a command that looks at some rows ► Picker.Take ► Picker.Next …
//
// A pane has a Picker for what it shows. One command looks at no more rows than
// take a few milliseconds, so there is nothing to cancel and the number of rows
// that were looked at is the progress. A frame that has not ended is looked at
// again until it has.
package rowscan
