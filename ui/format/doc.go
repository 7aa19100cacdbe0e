// Package format writes sizes, times, events and text of a peer the way people read
// them, and reads the sizes that people write.
//
// What it writes is for eyes and is not meant to be parsed. Text of a peer reaches a
// terminal only through Visible.
package format
