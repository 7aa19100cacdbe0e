// Package recorder keeps sessions in session files and reads them back.
//
//	tap ─ Source ─► Writer ─ whole records, one write a batch ─► Sink: file, else temporary file, else memory
//	                                                              │ is a Log
//	  session file written elsewhere, finished, compressed ─► File ┤
//	                                                              ▼
//	                                       Reader ─ session.Record ─► Analyzer      ReadFrame ─► a body's window
//
// The format is NDJSON, append-only, and exact: the bytes of every stream can be
// read back as they were. docs/session-file.md describes it for other tools.
//
// The Writer never loses bytes silently: what the disk does not take goes to a temporary
// file or to memory, and a gap record counts what the file lacks. How long the traffic
// waits for it is the tap's decision. It frames, scans the envelope and assembles records by hand, without
// allocation per frame and without a JSON library; its memory does not grow with
// the length of a line. A kill at any moment leaves whole records and at most
// one torn last line.
//
// The Reader is total: any bytes are records, a session file of a later version,
// damage that is counted and skipped, or an error that says what the file is. It
// never panics, and consumes nothing after the last line feed.
//
// Files are 0600 in 0700 folders. Values of environment variables are never
// stored; the Writer is given names only.
//
// A Follower feeds an Analyzer, live or not. What a long log has at first is read and
// decoded by another goroutine, a few batches ahead of the one that judges.
//
// The package does not judge what it stores and knows no rule.
package recorder
