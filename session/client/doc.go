// Package client is us as an MCP client: it speaks to one server over the
// server's stdin and stdout, in either era of the protocol.
//
//	Call, Do, Notify, Send ──► writer goroutine ──► w, the server's stdin
//	        ▲
//	 matched answers, progress ◄── reader goroutine ◄── r, the server's stdout
//	                                   └─► questions ► Asker ► answers
//
// It says what the user asks it to say and nothing else. Parameters go out byte
// for byte as they were given; what is added is what each modern request must
// carry in _meta, a progress token where progress is wanted, and the wish for a
// task where one is. It declares what it can do, which is what Config has answers
// for: see capability.go.
//
// # Operations
//
// An operation is one act of the user. Do makes it, Options say what it wants
// besides, and its Reply has all its legs with their times: the repetitions of a
// multi-round-trip request, or a task with its polls, its questions and its
// result. Cancelling its ctx, or Cancel with the id of one of its requests, ends
// it at the server too, in the way that fits: notifications/cancelled, or
// tasks/cancel.
//
// # Questions
//
// What a server asks (sampling, elicitation, roots) goes to an Asker, whether it
// comes as a request (legacy era), inside a result or inside a task's state
// (modern era). Askers run in goroutines of the client's own and may wait for a
// person: nothing times out meanwhile, and the reader is never blocked. Policies
// for unattended use are Decliner, Canned, Agreeable and the file of ReadAnswers;
// Config.SetSampling and Config.SetElicitation choose one by a word.
//
// In the modern era servers may not send requests, and clients may not send
// responses. A request that comes all the same is not answered, as every answer
// would be a violation of ours; the TimeoutError of the call that fails for it
// names it. A person who wants to answer can, with Send.
//
// # Guests
//
// In a session whose client is another, a Guest makes single requests in that
// client's name, through the session.Control of whoever stands between. It runs
// tasks as a Client does: polls them at the server's pace, fetches their results,
// cancels those that are given up. Nothing else comes to it: a status that the
// server tells unasked, and in the legacy era its questions, go to the client.
//
// # Tolerance
//
// It is a debugger's client: what a server does wrong is for the checks to
// report, and the client understands it where that is possible at all — an id
// that comes back as a string, a message printed over several lines, two on one
// line, none at the end of its line, CRLF, a byte order mark, Content-Length
// frames. Lines that are no message are skipped; the recording shows them.
//
// # Goroutines
//
// A Client starts two goroutines. The writer ends with Close or when w fails;
// the reader ends when r does, and reads on until then so that a server that is
// shutting down is never blocked: whoever wires the pipes ends r. Each question
// has one more, which ends with its answer. Functions and channels that callers
// give are used in the callers' own goroutines. What waits for a caller who does
// not come is bounded: 1024 notifications, then the oldest are dropped and
// counted.
//
// The shutdown of the process (signals, grace) is not its business, nor is the
// session file, which it neither reads nor writes.
package client
