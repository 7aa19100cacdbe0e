// Package overlay has what covers the panes and takes the keys: the Box that the
// screen draws and routes keys to, a Confirm that is answered by one key, a Page of text
// and a Chooser of lines.
//
// A box neither knows the screen nor other boxes. What it shows from a peer is made
// visible by the code that fills it in.
package overlay
