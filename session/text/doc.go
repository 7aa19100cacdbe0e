// Package text writes sizes, times and text of a peer the way people read them, reads
// the sizes and ages that people write, and finds the name that was meant by a mistyped one.
//
// What it writes is for eyes and is not meant to be parsed. Text of a peer reaches a
// terminal only through Visible. It is a leaf: every package may use it.
package text
