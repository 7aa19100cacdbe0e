// Package http is wiretea's client over HTTP: a connection to a URL that is used as the
// two streams of a process are. Lines go in, lines come out, and above it the client, the
// replay and the screen are the same as over stdio.
//
//	Write ─► a POST for each line ─────────► server
//	Read ◄── JSON bodies, SSE events ◄──────┤
//	     ◄── the GET stream, resumed streams┘
//
// # Transports
//
// Streamable HTTP in both eras, and HTTP+SSE of 2024-11-05. Which era a message is of is
// told by its _meta: a modern one goes out with its Mcp-* headers, belongs to no session,
// and is cancelled by closing its stream. With Auto, an initialize that is refused by 400,
// 404 or 405 is sent as HTTP+SSE wants it: [V5] basic/transports/streamable-http
// §Backward Compatibility. The probe of the modern era is the caller's.
//
// # Sessions
//
// The Mcp-Session-Id of the answer to initialize goes with all that follows: what is
// written before that answer waits for it. Where a
// request is refused by 404 the session is gone: the same initialize is sent again, as a
// new connection, then the request, once; its answer is all that Read sees of that. What
// ends a session is DELETE.
//
// # Streams
//
// A stream is read to its end. One that ends before its answer, and had an event with an
// id, is continued by GET with Last-Event-ID after the time that the server wants.
//
// # What no line can say
//
// A request whose round trip is over and that has no answer is told to OnRefused, with a
// *client.HTTPError. What the user should know is told to Options.Notice.
//
// # Bounds
//
// What Read has not taken yet is at most 8 MiB and one message; streams wait beyond that.
// A message of more than 32 MiB is read and recorded, and not kept: client.ErrTooLong.
// All goroutines and requests end with Shutdown, within its Grace.
//
// Every request and response is recorded by a Trip of session/transport/http. Values of
// header fields are in no error and no notice.
package http
