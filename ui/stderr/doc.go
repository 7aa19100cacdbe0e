// Package errout is the pane that shows what servers write to stderr, line by
// line with the time.
//
// It follows the newest line. When traffic stands at a request or a response it
// shows the lines that were written between the two, and marks them.
//
// Which rows are lines of stderr is found in the background, and texts are read
// for the window and its surroundings only, so that its costs do not depend on
// how much a server writes. What a line seems to be, an error or a warning, is a
// guess for the eye, by the words that loggers use; no finding depends on it.
// Escape sequences are shown and never obeyed.
package stderr
