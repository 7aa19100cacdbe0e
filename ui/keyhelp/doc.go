// Package keyhelp shows key bindings: the help, which is searched by typing and
// from which one is chosen, and the line of keys at the bottom of the screen. The
// bindings are those of ui/keys; what they do here, and whether they can be done
// now, is told by whoever shows them. It carries out nothing.
//
// It is not bubbles/help, which has neither a search nor a cursor, and which
// measures and styles every word again for each frame.
package keyhelp
