// Package account says what there is to say of a session that was made for one request,
// besides the result: why there is none, and what else is wrong.
//
//	error of the request ─┐
//	Snapshot, Log ────────┼─► Of ─► Account: Outcome, Lines, Findings
//	diagnosis ────────────┘
//
// The diagnosis of the session is told once: what the reason of a failure says already is
// not among the findings. Text from a peer is visible in Lines, and verbatim in Findings.
// The package prints nothing.
package account
