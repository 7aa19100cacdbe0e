// Package store keeps what a person has composed for a server, for the next time: an
// Entry for each message that was sent, and templates, which have a name and stay.
//
//	Entry ──clean──► values that look secret taken out ──► FOLDER/KEY.jsonl
//
// A file is a server's. It is for its owner alone, holds at most MaxEntries
// entries besides the templates, and is replaced as a whole: who reads it while
// it is written sees the old one or the new one. Its name is made of the server's
// name or command and tells neither.
//
// No secret is stored. A value in which session/secrets finds something is
// replaced by an empty string and its path is noted; what cannot be cleaned that
// way is not stored at all. Where two programs write at once the later one wins:
// an entry may be lost then, never a file.
//
// The functions do I/O and are called in commands.
package store
