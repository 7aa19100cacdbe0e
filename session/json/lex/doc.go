// Package lex is JSON text by its bytes: where strings and values end, which members
// and items there are, what a string says and how one is written.
//
//	text ─ Members, Items, List ─► keys and values, in order, as they are written
//	string of the text ─ Unquote ─► what it says ─ AppendQuote ─► string
//
// It finds where things end and does not say that a text is JSON. It is total: a text
// that is broken ends early. It does not recurse, and what it returns points into the
// text.
package lex
