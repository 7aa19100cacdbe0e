// Package keyhelp shows key bindings: the help, which is searched by typing and in
// which a binding can be chosen, and the line of keys at the bottom of the screen. The
// bindings are those of ui/keys; the caller says what they do in its place, and whether
// they are available. It carries out nothing.
//
// It is not bubbles/help, which has neither a search nor a cursor, and which measures
// and styles every word again for each frame.
package keyhelp
