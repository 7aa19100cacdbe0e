// Package rowscan finds the rows of a session that a pane wants, in the background,
// and keeps up with a session that is still growing.
//
//	MovedMsg ► Picker.Next ► a command that looks at some rows ► Picker.Take ► Picker.Next …
//
// One command looks at no more rows than take a few milliseconds, so that nothing has
// to be cancelled, and the number of rows that were looked at is the progress. A frame
// that is still growing is looked at again until it has ended.
package rowscan
