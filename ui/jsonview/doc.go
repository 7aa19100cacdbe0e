// Package jsonview shows bytes of any size: JSON as lines that fold, other text as
// lines, and binary data as a hex dump.
//
//	bytes ──Index──► Document: where lines begin ──View──► the lines of a window
//
// A Document is made in one pass over the bytes, in a command. It keeps the place of
// about every 32nd line, and reads the lines between them again when they are shown:
// the index is small compared with the body, whatever the body is. Indented lines are
// drawn from compact bytes; nothing is copied or decoded, and nothing recurses.
//
// A View is the state of looking at a Document: a cursor, folds, wrapping, a search.
// Its methods cost no more than a window of lines. JSON with a syntax error is shown as
// JSON up to the error, and as text from there on.
//
// It is not bubbles/viewport, which keeps all lines as strings.
package jsonview
