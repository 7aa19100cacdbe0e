// Package process is the page about the server's process: how it was started, who the
// two peers say they are, what happened to it and how it ended, for each connection,
// the latest first.
//
//	Snapshot ─ pane.RowPicker ─► rows of events and of the handshake ─ a command ─► facts ─► View
//
// Over HTTP there is no process: the page lists the MCP sessions, with their clients, open
// streams and how they ended, and shows the rows of one in traffic.
//
// While the page is shown, a command reads the state, CPU time and memory of the live
// server's process from /proc, once a second.
//
// Of environment variables it shows the names; the values are not recorded.
package process
