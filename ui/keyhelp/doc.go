// Package keyhelp shows what can be done: the help, a list of entries which is searched
// by typing and from which one is carried out, and the line of keys at the bottom of the
// screen. Entries are made from the bindings of ui/keys, and from whatever else the caller
// lists: commands, words of a filter, settings, signs.
//
// The search takes the names and texts of entries and their further words (keys.Also). It
// forgives a letter that is left out or wrong where nothing else matches.
//
// It is not bubbles/help, which has neither a search nor a cursor, and which measures
// and styles every word again for each frame.
package keyhelp
