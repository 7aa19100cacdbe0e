// Package http carries MCP over HTTP and keeps a copy of what crosses.
//
//	client ──request──► Proxy ──request──► server
//	                      │ Trip: head, chunks, end
//	                      ▼
//	                     Tap ──► recorder.Writer
//
// A TripRecorder records one round trip: an HTTP request and its response. Whoever carries it, the
// Proxy or our own client, tells the TripRecorder what crosses, when it does; the TripRecorder removes
// credentials from heads and the content coding from the copy of the bodies, and puts the
// rest into the tap.
//
// # Contract of a TripRecorder
//
//   - Putting never waits for a decoder, and for the tap only at its limit (TapConfig.Patience). What cannot be kept is
//     counted and comes out as a gap.
//   - The value of a credential never leaves the process: Authorization, Proxy-Authorization,
//     Cookie, Set-Cookie, X-Api-Key, DPoP, Mcp-Session-Id, every field and every parameter
//     of a query that is named like a secret. The credentials in a form, in the response to one,
//     and in a JSON response that has no message are replaced; other bodies are recorded as they
//     are.
//   - gzip, deflate and zstd are removed from the copy, by a goroutine for each such body,
//     which ends with the trip. Another coding, br among them, stays in the copy. What cannot
//     be decoded is recorded as it is, behind an event that says why.
//   - The end of a trip is the last that the tap has of it.
//
// # With a Judge
//
// While the Judge of an Upstream decides, the contract below has an exception: request bodies
// and JSON responses are read whole, event streams are forwarded event by event, as it decides,
// and the server is asked for bodies without a content coding. What came and what went on are
// both in the tap. A Judge that begins to decide concerns the next message: also the response
// to a request that has passed, unless it has a content coding, and the next event of a stream.
//
// A client in this process makes its round trips through a Carrier while a Judge decides, and
// past it while none does; see Bypass.
//
// # Contract of the Proxy
//
//   - Method, path, query, status, fields, trailers and bodies cross as they came, content
//     coding included. Removed are the fields of one connection (RFC 9110 §7.6.1), so
//     nothing is upgraded to another protocol. Nothing is added. Changed are Host, an Origin
//     that names the proxy, and a Location that names the server; the record has both values.
//   - The copy is taken before the bytes are forwarded, and the recorder is woken after.
//     Nothing on the way is parsed, but for the first event of a stream of the old HTTP+SSE
//     transport, whose endpoint the proxy must know, and the metadata of a protected resource,
//     whose URL tells whether clients can log in.
//   - What one read returns of an event stream is written and flushed before the next read. The
//     beginning of another response waits at most flushDelay for more of it.
//   - A response is never cut by the proxy: see upload. Its memory does not depend on the
//     length of bodies.
//   - The disconnect of one side ends the other. A server that cannot be reached is a 502
//     of the proxy's own, with the cause in one line; so are the 403 for a foreign Host or
//     Origin, the 404 for a path that no server has, the 405 for CONNECT and the 400 for a
//     malformed body. The record marks them as ours, and a line is written for some of them.
//   - Drain waits for the responses under way, and not for streams that stay open.
//   - Every goroutine ends with its round trip or with Close, after which each round trip
//     has its end in the tap.
//
// # Limits
//
// A client that closes its sending direction only is taken for gone. When a response ends
// before the request's body was forwarded, the rest of that is not. Repeated User-Agent
// fields become one, and a GET's Content-Length of 0 is omitted. The endpoint of a stream
// with a content coding is not found.
//
// # What is not recorded
//
// net/http does not keep the order and the case of header fields: they are recorded by
// name, in its canonical form, values of one name in their order. Transfer coding, the
// framing of HTTP/2, the text behind the status, and the trailers of requests are not
// recorded.
package http
