// Package analysis keeps what reading a recording has shown, and draws conclusions
// from it.
//
//	session file ─ Load, Read ────────────────────► session.Snapshot ─ Summary ─► lists of recordings
//	     │           ▲ valid only for these rules          │
//	     │           └── Save, Keep ◄──────────────────────┤
//	     └─ lines of stderr ──────────────────────────► Diagnose ─► the most likely cause
//
// The index beside a session file is a cache: nothing is lost where it cannot be
// written, and it does not count once the file has grown, is being written, or was
// judged by another version of the rules. Load therefore never returns a snapshot
// that differs from what reading the file would give.
package analysis
