// Package framing cuts the bytes of one stream into frames.
//
//	chunks, split anywhere ──► Splitter ──► pieces: start … end, body and terminator apart
//
// A frame is one unit on the wire, not judged: a stdio line with its
// terminator, or, once a peer frames as LSP does, a Content-Length header block
// and the body that follows it, each a frame of its own. Concatenating body and
// terminator of every frame gives back the stream byte for byte.
//
// A body of HTTP is one frame, or a stream of server-sent events whose data are the
// bodies of the frames.
//
// A Splitter never holds a body: a line of any length passes through in pieces
// while it arrives. It holds at most a terminator that may still grow (a CR) and
// an unfinished header block of at most MaxHeader bytes. It does no I/O, keeps
// no time, never panics and never fails: every byte sequence is some frames.
//
// This package knows nothing of JSON.
package framing
