//go:build unix

// Peer is the other side of the tee bench and of the path bench: "peer echo" returns what it
// reads, "peer answer" answers requests, a line of at most 64 KiB each, "peer large BYTES"
// is a server whose tools return a text of that length, and "peer
// wrapper [-copies FILE] CMD ARGS…" starts a server and does nothing but copy. With
// -unseen as the first argument the Go runtime is not told of the system calls. It
// imports as little as possible, so that its start costs what a start must cost.
package main
