// Package demo is the embedded MCP server: a correct one, in both eras of the
// protocol, and many with exactly one fault each.
//
//	in ──► lines ──► healthy dispatch ──► outgoing bytes ──► out
//	                      ▲                    ▲
//	                    the behaviour's fault: takes over a request,
//	                    rewrites what goes out, or plays with the process
//
// A behaviour is a healthy server plus one fault, so that a recording of it
// shows one finding and not a dozen. Messages are written by hand as bytes: no
// library is between a fault and the wire.
//
// The server is meant to run as a child process, `wiretea demo --server NAME`,
// over real pipes. Serve is that process's main function, and also works on any
// reader and writers. No behaviour outlives its stdin by more than a minute.
package demo
