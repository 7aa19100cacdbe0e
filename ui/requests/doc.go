// Package requests does what the user asks of a session's server besides composing: it
// sends, resends and cancels requests, lists and subscribes, sets the log level, restarts
// and ends the server, and sends a recorded request to a server that is started for it.
//
// What goes into somebody else's session is asked about first. Commands wait for the
// answers, which show in the traffic; there the cursor is taken to what was sent. What
// could not be done is said in the footer.
package requests
