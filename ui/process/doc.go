// Package process is the page about the server's process: how it was started,
// who the two peers say they are, what happened to it and how it ended, for each
// connection, the latest one first.
//
//	Snapshot ─ pick.Picker ─► rows of events and of the handshake ─ a command ─► facts ─► View
//
// Of environment variables there are names only; nobody kept the values.
package process
