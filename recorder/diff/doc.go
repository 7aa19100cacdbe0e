// Package diff compares two recordings of sessions by what they say, not by how
// it was on the wire.
//
//	Log ─► Analyzer ─► Side: who spoke, lists, calls, notifications, findings
//	                     └── Compare(a, b) ─► Report: what differs, part by part
//
// What every session has anew does not count: ids, progress tokens and whatever
// else is in a message's _meta, cursors, request states, ids and times of tasks, and
// a text that is a time (RFC 3339) in both. How often a client asks whether the
// other side lives, or how a task stands, is chance and does not count either.
//
// Calls are paired by method and parameters, the first such call with the first.
// Where one side asked something else, calls of the same method and target are
// paired in their order, and what they asked is the difference.
//
// Latencies are judged by the rank sum test of Mann and Whitney, with the care that
// many tests at once need. They are a property of the machine too: a report says
// what was found, and they are not a difference unless the caller asks for it.
//
// The package reads and never writes; it knows no file names and no terminal. A Side
// takes about 150 bytes a call, and no bodies; Compare reads those that differ.
package diff
