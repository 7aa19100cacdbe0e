// Package client is wiretea as an MCP client: it speaks to one server over the
// server's stdin and stdout, in either era of the protocol.
//
//	Call, Do, Notify, Send ──► writer goroutine ──► w, the server's stdin
//	        ▲
//	 matched answers, progress ◄── reader goroutine ◄── r, the server's stdout
//	                                   └─► questions ► Asker ► answers
//
// It sends what the user asks it to send and nothing else. Parameters go out byte for
// byte as they were given, with the _meta that each modern request must carry, a
// progress token where progress is wanted, and the request for a task where one is. It
// declares the capabilities for which Config has an Asker: see capability.go.
//
// # Operations
//
// An operation is one act of the user. Do performs it, with Options, and its Reply has
// all its legs with their times: the repetitions of a multi-round-trip request, or a
// task with its polls, its questions and its result. The end of its ctx, or Cancel with
// the id of one of its requests, ends it at the server too: by notifications/cancelled,
// or by tasks/cancel.
//
// # Questions
//
// The server's sampling, elicitation and roots requests go to an Asker, whether they
// come as requests (legacy era), inside a result or inside the state of a task (modern
// era). Askers run in goroutines of the client's own and may wait for a person: nothing
// times out meanwhile, and the reader is never blocked. Policies for unattended use are
// Decliner, Canned, Agreeable and the file of ReadAnswers; Config.SetSampling and
// Config.SetElicitation choose one by a word.
//
// In the modern era servers may not send requests, and clients may not send responses.
// Such a request is not answered, because an answer would violate the protocol too; the
// TimeoutError of the call that waits names it. The user can still answer, with Send.
//
// # Guests
//
// In the session of another client, a Guest makes single requests in that client's
// name, through a session.Control. All messages but the answers go to the client:
// notifications, and in the legacy era the server's requests. A Guest runs no tasks.
//
// # Tolerance
//
// The checks report what a server does wrong. The client understands it where that is
// possible: an id that comes back as a string, a message printed over several lines, two
// on one line, none at the end of its line, CRLF, a byte order mark, Content-Length
// frames. Lines that are not messages are skipped; the recording shows them.
//
// # Goroutines
//
// A Client starts two goroutines. The writer ends with Close or when w fails. The reader
// ends when r does, and reads until then so that a server that is shutting down is never
// blocked: the owner of the pipes ends r. Each question has a goroutine that ends with
// its answer. Functions and channels that callers give are used in the callers' own
// goroutines. What waits for a caller is bounded: of more than 1024 notifications the
// oldest are dropped and counted.
//
// The package does not shut down the process (signals, grace), and neither reads nor
// writes the session file.
package client
