// Package path decides what becomes of the messages between a client and its server,
// before they are forwarded, and injects messages of its user.
//
//	text of a line, a body or an event ─► Path.Carried ─► session.Ruling
//	                                        │ a Message each
//	                                        ▼
//	                                      Decider: a policy, faults
//
// A Path belongs to one session. It reads each text as JSON-RPC, remembers the requests that
// are under way, so that a response has the method and the target of its request, and asks
// the Deciders in their order: what one has altered, the next one decides on; the first one
// that refuses, drops or delays a message has decided.
// Each member of a batch is decided on alone.
//
// # Deciding
//
//   - Nothing is re-marshalled: what goes on of a text has the bytes that came.
//   - A text that is not one JSON-RPC message or one batch, or that peers could read in two
//     ways, is nothing that can be decided on: OnError says whether it passes. White space
//     passes.
//   - A panic in a Decider is an error of its own, and decided by OnError too.
//   - The memory is bounded: of more than 65,536 requests under way some are forgotten.
//
// # Policies
//
// A Policy is an ordered list of rules that say which messages may cross:
//
//	default = "deny"
//	on_error = "closed"
//
//	[[rule]]
//	id = "no-shell"
//	filter = "m:tools/call t:shell"
//	action = "deny"
//	reason = "commands are run by people"
//
// ParsePolicy compiles the whole text, or says what is wrong with it. The first rule that matches
// a request or a notification counts; where none does, the default. A rule judges responses
// only where its filter says is:response or is:error, and the default never does. The
// default does not apply to what a session needs to begin, to stay alive and to end a
// request: see exempt.
//
// The actions ask and hold have a message wait for a person: the Interceptor
// refuses or releases it after the rule's timeout.
//
// A Policy is a Decider, is never changed, and may be used from several goroutines.
// A PolicyFile is a policy that is read again when its file changes.
//
// # Faults
//
// A Fault breaks messages on purpose, to see how the other side takes it:
//
//	FILTER: KIND(ARGUMENT) p=0.1 n=3 seed=7
//
// A Fault applies to the messages that its filter matches, each with the probability p, at
// most n times. Which of them it applies to depends on its seed and on their order in their
// direction alone: the same messages get the same faults. FaultKinds lists what there is. Members
// of batches are left alone.
//
// Faults is a Decider: the first Fault that applies to a message decides.
//
// # Injecting
//
// A user's messages go into the stream between a client and its server, and their answers are
// removed from the stream back, so that neither of the two notices more than it must.
//
//		viewer process                       tee process
//		Client ── unix socket ──► Server ──► Injector ──► transport.Gate ──► server
//		   implements session.Control           │ ids, waiting, late answers      │
//		                                        └── response filter ◄── its lines ──┘
//
//	  - A message goes in between two lines of the client's, never into one. If there is
//	    no such place, or no room, for too long, the error is ErrBusy. Once it has begun to
//	    be written, the client's next message waits for its end.
//	  - Only single, well-formed requests and notifications are injected, after the
//	    handshake, and none that belong to the handshake: a server may answer anything else
//	    in a way that ends its client. ErrRefused says why.
//	  - A request gets a unique id, "wiretea-RANDOM-N", and its progress token is replaced
//	    by the same text. Messages from the server with either of them are removed from the
//	    stream: the answer, however late and however often it comes, progress, and the
//	    notifications of a subscription.
//	  - While a request is unanswered, withdrawn or not, and ten seconds more, the
//	    server's stdout is forwarded line by line. A line of more than 16 MiB is
//	    forwarded as it is, and the session file says so.
//	  - Other effects of a request stay: the server's own requests and other notifications
//	    reach the client. A client whose request is cancelled from here goes on waiting.
//	    When an injected request is cancelled, its caller waits up to a second for a late
//	    answer, then gets ErrWithdrawn.
//	  - Nothing here delays the traffic: the response filter only looks at lines, and a
//	    viewer that does not read costs nothing.
//	  - Connections of other users are closed at once. Those that say nothing, or only want
//	    to be notified, keep no command out: the oldest give way.
//	  - Every goroutine recovers from panics: a bug here does not end the traffic.
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
package path
