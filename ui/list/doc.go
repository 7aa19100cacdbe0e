// Package list moves a cursor and a window over lines: what all lists on the
// screen have in common. It knows the actions that move and nothing of what is
// in the lines.
package list
