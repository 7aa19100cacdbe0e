// Package check is the catalogue of what can be wrong in an MCP session.
//
//	session.Analyzer ─ Event ─► one checker a family ─ Finding ─► Analyzer
//
// A rule is a value: its id, severity, who is at fault, the revisions it holds
// for, what it means, how to mend it, the sentence of the specification and the
// clients that break. A family is a file: its rules and the checker that applies
// them. All is the catalogue; New makes a fresh set of checkers for one session.
//
// A wrong accusation is the worst fault of this package. Rules apply to the
// effective revision of the message only, know the legal races, and keep still
// where the recording does not show enough. Every rule has a conversation in
// testdata that triggers it and nothing else, and a near miss that must stay
// silent.
//
// Checkers read no clock and do no I/O; what they remember is bounded.
package check
