// Package lastwords reads what a program said on stderr before it ended.
//
//	line ─ Add ─► Words ─ Last ─► the line that says why
//	                 line ─ Of ─► Cause: what that most likely means, and what to change
//
// Words pick the line out of a stack trace, a log and what package managers print
// around an error; their memory is bounded. A Cause is looked up in a table of
// what runtimes, shells and package managers write: it is a guess, made only on
// lines that tell of an error.
//
// It knows nothing of the protocol and blames nobody.
package exitcause
