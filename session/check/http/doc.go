// Package http has the rules for MCP over HTTP: Streamable HTTP in both eras, its
// sessions, event streams and header fields, what browsers need, and the older HTTP+SSE.
//
// One checker follows the round trips of a connection and applies the rules of all
// families of the package:
//
//	checker.go     the round trips that have not ended, and what each carries
//	exchange.go    the status, the type and the body of a response
//	refusal.go     redirects, failures, pages, and what is in between
//	challenge.go   WWW-Authenticate of a refusal
//	token.go       the credentials of requests
//	wellknown.go   the metadata by which clients log in
//	session.go     the life of a session; history.go over several connections
//	stream.go      events and their messages; resume.go ids, retry and resumption
//	stream_end.go  streams that end too early, too late, or silently
//	pace.go        how soon a client tries again
//	mirror.go      header fields of 2026-07-28 that say again what the body says
//	cors.go        preflight requests and what a browser may read
//	old.go         HTTP+SSE of 2024-11-05
//
// What is not MCP is not judged: a round trip counts if its body is a message, if it has a
// session or a revision in its header, or if it asks for metadata of a login. A connection
// that began with an unknown session is in mid-session: nothing is said about what came
// before. Values of credentials are not known here; a session is named by the hash of its id.
package http
