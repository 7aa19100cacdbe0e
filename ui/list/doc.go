// Package list moves a cursor and a window over lines: List with a cursor, Page
// without one, Chooser with a search. Every list of the screen uses it. It knows the
// actions that move, and nothing of what the lines say.
package list
