// Package recorder keeps sessions in session files and reads them back.
//
//	tap ─ Source ─► Writer ─ whole records, one write a batch ─► Sink: file, else temporary file, else memory
//	                                                              │ is a Log
//	  session file written elsewhere, finished, compressed ─► File ┤
//	                      several logs on one clock ─► Merge ─► File ┤
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
// Merge makes one log of the logs of several sessions: their lines, with connections and round
// trips numbered anew and times on one clock, in a temporary file. Whoever reads it need not
// know; a snapshot says which session a connection is of.
//
// A Follower feeds an Analyzer, live or not. What a long log has at first is read and
// decoded by another goroutine, a few batches ahead of the one that judges.
//
// The package does not judge what it stores and knows no rule.
//
// Notes are what a person has marked and said about the frames of a recording. They are
// in a file of their own beside it, never in it.
//
//	session.mcpcap.jsonl       the recording, which nobody changes
//	session.notes.jsonl        {"k":"hdr","fmt":"mcpnotes","v":1,"sid":"…"}
//	                           {"k":"note","n":12,"mark":true,"text":"here it goes wrong","at":"2026-11-20T10:04:07Z"}
//
// The file is NDJSON, appended to and read by its owner alone (0600). A note
// belongs to the record number n of a frame, which is the same in every program
// that reads the recording; the latest line of a number holds, and one with
// neither mark nor text takes the note away. A line that is torn or damaged is
// skipped, and what is appended after a torn one begins on a line of its own, so
// that a crash costs one note at most. Two programs may append at once: a note is
// one write.
//
// A Handshake is what the two peers of a connection say of themselves: their names,
// versions and capabilities, from initialize, server/discover and the metadata of modern
// requests and results. It reads bodies and is for commands. It takes what it finds and
// judges nothing: a member that is not what it should be is as if it were absent.
package recorder
