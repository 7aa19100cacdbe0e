// Package diagnosis finds the most likely root cause of the problems of a
// session, describes it in one sentence, and says which findings are
// consequences of which.
//
//	findings + process + timing (Snapshot), stderr (Lines) ─ Of ─► Diagnosis
//
// The root is chosen by what a connection needs first: a server that could not
// be started, one that exited, one whose stdout cannot be parsed, one that does
// not respond; then the finding with the highest severity. The output on stderr
// at that time gives the reason, as package exitcause reads it.
//
// A healthy session, and one with only infos, has an empty diagnosis. A finding
// that another replaces is marked as refuted: that a server exited, once another
// connection shows which message it exits on. Findings of several connections
// with the same cause are one group.
//
// It judges nothing itself and changes no finding. Its work is bounded: it
// reads only the latest rows of a session, and a few dozen lines of stderr.
// These reads are I/O; screens call it in a command, not in Update.
package diagnosis
