// Package stderr is the pane that shows what servers write to stderr, line by line
// with the time.
//
// It follows the newest line. When traffic's cursor is on a request or a response, it
// shows the lines that were written between the two, and marks them.
//
// The rows that are lines of stderr are found in the background, and texts are read
// only for the window and its surroundings: the cost does not depend on how much a
// server writes. The level of a line, error or warning, is a guess by the words that
// loggers use; no finding depends on it. Escape sequences are shown and never obeyed.
package stderr
