// Package secrets finds what must not be shared in the bytes of a session: in
// JSON, whole or broken, and in plain text.
//
//	bytes ─ Levels ─► text without one more layer of escapes
//	                    ├─ members and variables named like secrets ┐
//	                    ├─ known formats of tokens                  ├─► Spans of whole escapes
//	                    ├─ flags, URLs, phrases                     │
//	                    ├─ base64 and gzip, in which there is one   │
//	                    └─ strings that look random                 ┘
//
// A Span begins and ends between escapes, and in JSON it lies inside of a string or is
// a number: whatever replaces it with letters and digits, or a number by a number,
// leaves JSON as it was.
//
// It errs towards finding too much: what is shared must be clean, and a placeholder
// costs a reader little. What every session is full of (ids, cursors' names,
// versions, hashes, UUIDs, paths, dates) is left alone. docs/redaction.md has how much
// of both is measured.
//
// The time is linear in the length of a text, whatever it is made of. It keeps nothing,
// does no I/O, and imports only the scanner of JSON.
package secrets
