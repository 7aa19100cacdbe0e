// Package pane is the contract between the screen and its panes: the Context that
// panes read, the methods that they have, and the messages with which they ask the
// screen for something.
//
// A pane does its work in commands that Work makes; their answers come back to the
// pane that asked, and to no other.
package pane
