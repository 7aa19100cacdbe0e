// Package share writes a recording in a form for others to see: without its
// secrets.
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
package share
