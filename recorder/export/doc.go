// Package export turns a recorded session into other forms.
//
//	Log + Snapshot + Filter = Recording ─► Text, JSONL, CSV, HAR, Markdown, HTML
//	Log ───────────────────────────────► BytesAt, one stream as it was
//
// Text, JSONL, CSV and HAR write the rows that the filter selects. Markdown is an issue
// to paste, HTML a page that needs nothing but itself.
//
// Exports read the log as far as it has come and do not wait for more. They
// do not remove secrets: for sharing, pass a log without secrets, as Clean
// makes it. What a peer sent is escaped in each form; it never
// becomes markup, a formula or an escape sequence.
//
// Clean and Cleaned make a recording fit for others to see: without its secrets.
//
//	Log ─ redact.Learn ─ nothing found ─────────────────────────────► export
//	          └ something ─► copy in a temporary file ─ analysed anew ─► export
//
// Findings quote what was sent. Those of the copy quote placeholders; one that the
// original does not have is left out, because a placeholder can break a rule that
// the secret did not.
//
// The copy is for its owner alone, and gone when the export is written. The
// recording is never changed.
package export
