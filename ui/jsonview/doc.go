// Package jsonview shows bytes: JSON as lines that fold, other text as lines,
// and what is no text as a hex dump, of any size.
//
//	bytes ──Index──► Document: where lines begin ──View──► the lines of a window
//
// A Document is made in one pass over the bytes, in a command. It keeps a place
// for every 32nd line or so and reads the lines between them again when they are
// looked at: an index is a small part of what it indexes, however the bytes are
// made. Pretty lines come straight from compact bytes; nothing is copied,
// nothing is decoded, and nothing recurses.
//
// A View is what a person does with a Document: a cursor, what is folded,
// wrapping, what was searched for. All it does costs no more than a window of
// lines. JSON that breaks off is shown as JSON up to its defect, and from there
// on as text.
package jsonview
