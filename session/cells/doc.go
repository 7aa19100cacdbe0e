// Package cells writes styled text into lines of an exact width: measuring, cutting,
// padding, wrapping, boxes. It knows cells, wide characters and SGR sequences, and
// nothing of what is drawn.
//
// It is not lipgloss, which takes 3 µs to render a word: a screen has thousands of
// words, and each of them is measured for every frame.
package cells
