// Package http carries MCP over HTTP and keeps a copy of what crosses.
//
//	client ──request──► Proxy ──request──► server
//	                      │ Trip: head, chunks, end
//	                      ▼
//	                     Tap ──► recorder.Writer
//
// A Trip is one round trip: an HTTP request and its response. Whoever carries it, the
// Proxy or our own client, tells the Trip what crosses, when it does; the Trip removes
// credentials from heads and the content coding from the copy of the bodies, and puts the
// rest into the tap.
//
// # Contract of a Trip
//
//   - Putting never waits: not for the tap, and not for a decoder. What cannot be kept is
//     counted and comes out as a gap.
//   - The value of a credential never leaves the process: Authorization, Proxy-Authorization,
//     Cookie, Set-Cookie, X-Api-Key, DPoP, Mcp-Session-Id, every field and every parameter
//     of a query that is named like a secret. The bodies are recorded as they are.
//   - gzip, deflate and zstd are removed from the copy, by a goroutine for each such body,
//     which ends with the Trip. Another coding, br among them, stays in the copy. What cannot
//     be decoded is recorded as it is, behind an event that says why.
//   - The end of a Trip is the last that the tap has of it.
//
// # What is not recorded
//
// net/http does not keep the order and the case of header fields: they are recorded by
// name, in its canonical form, values of one name in their order. Transfer coding and the
// framing of HTTP/2 are not recorded.
package http
