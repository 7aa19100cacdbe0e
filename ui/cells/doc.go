// Package draw puts styled text into lines of an exact width: cutting, padding,
// boxes. It knows cells, wide characters and SGR sequences, and nothing of what
// is drawn.
package cells
