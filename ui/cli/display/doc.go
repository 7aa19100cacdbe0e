// Package display runs the full screen for the commands: it finds out whether there is a
// terminal, loads the settings, runs the program, and says on the screen what would go to
// stderr. It shows recordings, whose requests can be sent again.
//
// Sessions belong to the caller, who closes them after Show has returned; package viewer
// has those that live.
package display
