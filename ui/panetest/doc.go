// Package panetest is for the tests of panes: it writes small sessions, gives
// them to a pane as the screen would, carries out the commands that the pane
// returns, and compares what is drawn with golden files.
package panetest
