// Package pane is the contract between the screen and its panes: the Context that
// panes read, the methods that they have, and the messages with which they ask the
// screen for something.
//
// A pane does its work in commands that Work makes; their answers come back to the
// pane that asked, and to no other.
//
// A RowPicker finds the rows of a session that a pane wants, in the background, and keeps
// up with a session that is still growing.
//
//	MovedMsg ► RowPicker.Next ► a command that looks at some rows ► RowPicker.Take ► RowPicker.Next …
//
// One command looks at no more rows than take a few milliseconds, so that nothing has
// to be cancelled, and the number of rows that were looked at is the progress. A frame
// that is still growing is looked at again until it has ended.
package pane
