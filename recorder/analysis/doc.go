// Package analysis reads recordings as a whole, and draws conclusions from what they show.
//
//	session file ─ Read ─► session.Snapshot ─ Summary ─► the cache that lists read: Judge, Keep
//	     │                       │
//	     └─ lines of stderr ─────┴─ Diagnose ─► the most likely cause
//
// A Playback reads a recording up to a moment, and on from there.
//
// A summary never replaces the recording: every command that opens one reads it. Nothing
// is lost if the cache cannot be written.
package analysis
