// Package compat says how known clients react to what a server writes.
//
//	bytes + Context ── Find ──► Faults ── Verdicts ──► an Outcome for each Client
//
// Clients react differently to the same line: version 2 of the TypeScript SDK
// skips stray output on stdout that ends a connection of the Go SDK, and the Go
// SDK accepts a pretty-printed response that makes the others wait. The
// reactions are a table, with the SDK version that it was measured with. The
// tests with real peers measure it again and fail if it is wrong.
//
// Find looks for the table's faults in one frame. It judges nothing else: a
// frame without any of them may still be wrong, which package check reports.
// Several faults of one frame are combined to the worst reaction of each
// client.
//
// The package is a leaf: it does no I/O, has no state, and is total: any bytes
// with any Context have a result.
package compat
