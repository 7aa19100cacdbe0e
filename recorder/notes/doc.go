// Package notes keeps what a person has marked and said about the frames of a
// recording: in a file of its own beside it, never in it.
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
// It knows nothing of frames and never reads the recording. It is a leaf.
package notes
