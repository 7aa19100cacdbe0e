// Package compat says how known clients take what a server writes.
//
//	bytes + Context ── Find ──► Faults ── Verdicts ──► an Outcome for each Client
//
// The same line is a nuisance here and the end of the connection there: version
// 2 of the TypeScript SDK passes over noise on stdout that ends a connection of
// the Go SDK, and the Go SDK takes a pretty-printed answer that lets the others
// wait. What each client does is a table, with the version of the SDK that it was
// measured with. The tests with real peers measure it again and fail where it is
// wrong; what was only read in the source of an SDK says so.
//
// Find looks for the table's faults in one frame. It judges nothing else: a frame
// without any of them may still be wrong, and package check says that. Several
// faults of one frame are combined to the worst for each client.
//
// The package is a leaf: it does no I/O, keeps nothing, and is total: any bytes
// with any Context have an answer.
package compat
