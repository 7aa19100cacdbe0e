// Package client is us as an MCP client: it speaks to one server over the
// server's stdin and stdout, in either era of the protocol.
//
//	Call, Notify, Send ──► writer goroutine ──► w, the server's stdin
//	        ▲
//	 matched answers ◄── reader goroutine ◄── r, the server's stdout
//	                          └─► answers to the server's own requests
//
// It says what the user asks it to say and nothing else. Parameters go out byte
// for byte as they were given; the one thing added is the _meta that each modern
// request must carry. What it declares it can do: roots, if there are any.
// Every other request of a server is refused in plain words.
//
// It is a debugger's client: what a server does wrong is for the checks to
// report, and the client understands it where that is possible at all — an id
// that comes back as a string, a message printed over several lines, two on one
// line, none at the end of its line, CRLF, a byte order mark, Content-Length
// frames. Lines that are no message are skipped; the recording shows them.
//
// A Client starts two goroutines. The writer ends with Close or when w fails;
// the reader ends when r does, and reads on until then so that a server that is
// shutting down is never blocked: whoever wires the pipes ends r. The shutdown
// of the process (signals, grace) is not its business, nor is the session file,
// which it neither reads nor writes.
package client
