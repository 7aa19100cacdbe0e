// Package units writes sizes, times and what a peer sent the way people read
// them, and reads the sizes that people write.
//
// It formats for eyes: nothing here is meant to be parsed again. What came from
// a peer never reaches a terminal but through Visible.
package format
