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
package http
