// Package control acts on a live session: it injects a user's messages into the stream
// between a client and its server, and removes the answers from the stream back, so that
// neither of the two notices more than it must.
//
//	viewer process                       tee process
//	Client ── unix socket ──► Server ──► Injector ──► transport.Gate ──► server
//	   implements session.Control           │ ids, waiting, late answers      │
//	                                        └── response filter ◄── its lines ──┘
//
// # Contract
//
//   - A message goes in between two lines of the client's, never into one. If there is
//     no such place, or no room, for too long, the error is ErrBusy. Once it has begun to
//     be written, the client's next message waits for its end.
//   - Only single, well-formed requests and notifications are injected, after the
//     handshake, and none that belong to the handshake: a server may answer anything else
//     in a way that ends its client. ErrRefused says why.
//   - A request gets a unique id, "wiretea-RANDOM-N", and its progress token is replaced
//     by the same text. Messages from the server with either of them are removed from the
//     stream: the answer, however late and however often it comes, progress, and the
//     notifications of a subscription.
//   - While a request is unanswered, withdrawn or not, and ten seconds more, the
//     server's stdout is forwarded line by line. A line of more than 16 MiB is
//     forwarded as it is, and the session file says so.
//   - Other effects of a request stay: the server's own requests and other notifications
//     reach the client. A client whose request is cancelled from here goes on waiting.
//     When an injected request is cancelled, its caller waits up to a second for a late
//     answer, then gets ErrWithdrawn.
//   - Nothing here delays the traffic: the response filter only looks at lines, and a
//     viewer that does not read costs nothing.
//   - Connections of other users are closed at once. Those that say nothing, or only want
//     to be notified, keep no command out: the oldest give way.
//   - Every goroutine recovers from panics: a bug here does not end the traffic.
//
// # Holding messages
//
// A session.Intercept is a person's place in the path of a session: what its filter matches
// is held until somebody decides. The process that forwards the messages opens one with
// capture.Run.Intercept, a viewer in another process with capture.Attach.Intercept; both
// have the same methods and the same state. By names the place for the record and for other
// places, such as "screen".
//
//	place, err := run.Intercept(ctx, "screen")    // or attach.Intercept
//	err = place.Intercept(ctx, session.Interception{Filter: "m:tools/call d:c2s"})
//	<-place.Changed()                             // then place.State().Held has the message
//	text, err := place.Text(ctx, id)
//	err = place.Decide(ctx, []uint64{id}, session.Choice{Verb: session.Release, Text: edited})
//	err = place.Close()                           // releases what its filter holds
//
// Only what shares the id or the progress token of a held message waits behind it; all else
// flows on. The client's cancellation of a held request ends both: neither goes on.
//
// The socket is a file of mode 0600 in a folder of mode 0700, and the system is asked
// for the user at its other end. It carries commands only, never the session, which
// viewers read from its file. On Windows there is no socket.
package control
