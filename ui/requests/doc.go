// Package requests does what the user asks of a session's server besides composing: it
// sends, resends and cancels requests, lists and subscribes, sets the log level, restarts
// and ends the server, and sends a recorded request to a server that is started for it.
//
// Before a message goes into a session of another client, the user confirms it. Commands
// wait for responses, which appear in the traffic; the cursor follows what was sent. Errors
// are shown in the footer.
//
// Questions shows what a session's server asks the user, which is elicitation, sampling and
// roots, and takes the answers:
//
//	source.Questions ─ Attend ─► command: the question is read ─► box ─ key ─► command: the answer is given
//
// A question waits until it is answered, or the server withdraws it. Its box comes up by
// itself only where the user is in the middle of nothing, and takes no keys then but those
// that open it or put it aside. A URL that a server wants visited is shown whole, and
// opened by a key only.
package requests
