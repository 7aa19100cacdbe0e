// Package pane is the contract between the screen and its panes: the Context
// they read, the methods they have, and the messages with which they ask for
// what lies outside them.
package pane
