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
// HTTP is the same server over HTTP, as an http.Handler: a session has a server of
// its own, and the requests of the modern era have one together. A message goes to
// the stream of the request that it belongs to. What a behaviour does over HTTP is a
// handler in front of the healthy server.
//
//	request ──► front (the fault) ──► session ──► healthy dispatch
//	                                     ▲              │
//	response, or stream ◄── front ◄── stream ◄──────────┘
//
// The server is meant to run as a child process, `wiretea demo --server NAME`,
// over real pipes. Serve is that process's main function, and also works on any
// reader and writers. No behaviour outlives its stdin by more than a minute.
package demo
