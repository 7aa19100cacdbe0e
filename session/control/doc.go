// Package control acts on a live session: it puts a user's own messages into the
// stream between a real client and its server, and takes the answers out again,
// so that neither of the two notices more than it must.
//
//	viewer process                       tee process
//	Client ── unix socket ──► Server ──► Injector ──► transport.Gate ──► server
//	   implements session.Control           │ ids, waiting, late answers      │
//	                                        └── response filter ◄── its lines ──┘
//
// # Contract
//
//   - A message goes in between two lines of the client's, never into one. When
//     there is no such place, or no room, for too long, it is given up: ErrBusy.
//     Once it has begun to be written, the client's next one waits for its end.
//   - Only single, well-formed requests and notifications go in, after the
//     handshake has ended, and none that belongs to the handshake: on anything else
//     a server may answer what kills its real client. ErrRefused says why.
//   - A request gets an id that nobody else uses, "wiretea-RANDOM-N", and its
//     progress token is replaced by the same text. What has them in the stream from the
//     server is taken out: the answer, however late and however often it comes,
//     progress, and what a subscription brings.
//   - While a request is unanswered, withdrawn or not, and ten seconds more, the
//     server's stdout is forwarded line by line. A line of more than 16 MiB is
//     forwarded as it is, and the session file says so.
//   - What else a server does because of the request is not undone: its own
//     requests and other notifications reach the real client. A client whose request is
//     cancelled from here goes on waiting. Who sent a request from here, which is then
//     cancelled by anybody here, waits a second more: ErrWithdrawn.
//   - Nothing here waits on the traffic's way: the response filter looks at lines and keeps
//     its own time, and a viewer that does not read costs nothing.
//   - Every goroutine recovers a panic: a fault here is no fault of the traffic.
//
// The socket is a file of mode 0600 in a folder of mode 0700, and the user on its
// other end is asked for from the system. It carries commands only, never the
// session, which viewers read from its file. On Windows there is no socket.
package control
