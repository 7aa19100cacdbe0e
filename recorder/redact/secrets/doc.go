// Package secrets finds what must not be shared in the bytes of a session: in
// JSON, whole or broken, and in plain text.
//
//	bytes ──► members named like secrets ┐
//	      ──► known formats of tokens    ├──► Spans, in order, without overlap
//	      ──► assignments in text        │
//	      ──► strings that look random   ┘
//
// A Span lies inside of strings and numbers: whatever replaces it with letters and
// digits, or a number by a string, leaves JSON as it was. What is hidden in another
// encoding (base64 of a key, a JSON text inside of a string) is found as far as its
// own form gives it away.
//
// It errs towards finding too much: what is shared must be clean, and a placeholder
// costs a reader little. What every session is full of (ids, cursors' names,
// versions, UUIDs, paths, dates) is left alone.
//
// It keeps nothing, does no I/O, and imports nothing of this module.
package secrets
