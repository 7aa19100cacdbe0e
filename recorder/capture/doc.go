// Package capture records sessions as they happen: it starts servers or stands
// between a client and its server, writes the session file, and analyses it at the
// same time. It is what the commands and the screen drive.
//
//	Run        our own client and a server that this process starts
//	Tee        a real client and its server, with this process between them
//	Recording  a session file, finished or still written by another process
//	Attach     a Recording that is live, and what acts on its session
//	Trials     requests of a Recording, each sent to a server of its own
//
// Run and Tee write a session file and Recording reads one; everything after the
// file is the same code:
//
//	client ⇄ relays ⇄ server
//	           └ tap ► Writer ► session file ► Follower ► Analyzer ► Snapshot
//
// A Server is how Run reaches a server. Process starts a command and speaks to it
// over stdio; Remote connects to a URL.
//
// The package has no flags and prints nothing. What a user must know at once is
// written to Config.Warn, a line at a time; everything else is an error, a
// Snapshot, or a field. Text from peers is returned verbatim: the caller makes it
// visible.
package capture
