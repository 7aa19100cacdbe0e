// Package call is the command call: it makes one request to a server and prints the
// result.
//
//	words ─► request ─► connect ─► compose arguments by the schema ─► send ─► print
//	                                                                   └─► why there is no result
//
// The result goes to standard output; findings, progress and the reasons of a failure
// go to standard error. The exit code is that of package term.
package call
