// Package export turns a recorded session into other forms.
//
//	Log + Snapshot + Filter = Recording ─► Text, JSONL, CSV, HAR, Go, Markdown, HTML
//	Log ───────────────────────────────► BytesAt, one stream as it was
//
// Text, JSONL, CSV and HAR write the rows that the filter selects. Go writes a
// server for the Go SDK that answers as the recorded one did. Markdown is an issue
// to paste, HTML a page that needs nothing but itself.
//
// Exports read the log as far as it has come and do not wait for more. They
// do not remove secrets: for sharing, pass a log without secrets, as package redact
// makes it. What a peer sent is escaped in each form; it never
// becomes markup, a formula or an escape sequence.
package export
