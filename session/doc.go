// Package session has the types of one observed MCP session and the analysis of
// its recording.
//
//	recorder.Reader ─ Record ─► Analyzer ──► frames ► messages ► exchanges ► operations ► findings
//	                               │ one goroutine, one owner
//	                               ▼
//	                            Store (index only) ─ Snapshot ─► ui, plain, check, export
//
// The Analyzer is the only writer. It sees records in file order and nothing
// else. It reads no clock, so that a live session and the same session read
// from its file years later give the same exchanges and the same findings. Time
// comes with the records, and with Advance for the time between them.
//
// A Snapshot is immutable and costs O(chunks). The store keeps a small row per
// frame, without pointers; bodies stay in the session file, from which readers
// of a Snapshot load them.
//
// Package check implements Checker; this package does not know any rule. It
// imports only its leaves framing, jsonrpc and mcp, does no I/O and starts no
// goroutine.
//
// # Layers
//
// Each file is a layer, in the order in which bytes pass:
//
//	frames.go     records to frames, one stream at a time
//	assemble.go   one value that is spread over several lines
//	decode.go     a frame's messages, and what its row shows of them; decoder.go reads them ahead
//	era.go        which of the two protocols is spoken, and which revision
//	pairing.go    requests and the notifications that name them; response.go responses
//	operation.go  which exchanges are one act of the user
//	conn.go       the life of a connection; timers.go what comes due without a record
//	findings.go   what checkers report; stats.go latencies by method
//	store.go      the rows; snapshot.go what others see of all that; moments.go its moments
//	member.go     the sessions of a merged log: an analysis each, one list of rows
//
// # Bounds
//
// Whatever is recorded, memory is 64 bytes per row, 16 to 32 bytes per id, and
// tables of fixed size: names, findings, exchanges that wait, lines that may be
// one value, links between exchanges, and the incoming frame of each stream up
// to MaxWhole. What does not fit is counted, or known only by its row; nothing
// is reported as a fault because of dropped state or a gap.
//
// One core adds about a million frames of 200 bytes a second, a million rows with
// 500,000 ids take 75 MB, and a snapshot of them tens of microseconds
// (BenchmarkAdd, BenchmarkSnapshot).
package session
