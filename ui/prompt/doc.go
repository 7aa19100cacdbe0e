// Package prompt is the line at the bottom of the screen in which something is typed: a filter,
// a command, a comment.
//
//	Open(Kind) ─► keys, pastes ─► Typed ─► enter: Do
//
// A Kind says what is asked for. The Prompt has what all kinds have in common: the history, which
// is kept with the settings, completion, and what is right or wrong with the text.
package prompt
