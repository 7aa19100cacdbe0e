// Package verdict decides what a session comes to under a project's policy: which
// findings count and as what, what was known before, whether the tools are those that
// were approved, and the root cause.
//
//	Snapshot ─┐
//	own rules ┼─► Policy.Judge ─► Verdict ─► package report
//	Baseline ─┘
//	Lock.Compare ─► findings of our own
//
// The findings of the wire come from session/check. The rules in OwnRules are about
// what only the caller knows: what it was told to do, and how the server took a probe.
//
// The package reads and writes the files of a baseline and a lock, and prints nothing.
package verdict
