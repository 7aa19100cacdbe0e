// Package requests does what the user asks of a session's server besides composing: it
// sends, resends and cancels requests, lists and subscribes, sets the log level, restarts
// and ends the server, and sends a recorded request to a server that is started for it.
//
// Before a message goes into a session of another client, the user confirms it. Commands
// wait for responses, which appear in the traffic; the cursor follows what was sent. Errors
// are shown in the footer.
package requests
