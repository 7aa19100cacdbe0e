// Package exitcause reads what a program wrote to stderr before it ended.
//
//	line ─ Add ─► Words ─ Last ─► the line that explains why
//	                 line ─ Of ─► Cause: what that most likely means, and what to change
//
// Words pick the line that explains an error out of stack traces, logs and the
// output of package managers; their memory is bounded. A Cause is looked up in
// a table of messages of runtimes, shells and package managers: it is a guess,
// made only for lines that report an error.
//
// It knows nothing of the protocol and assigns no fault.
package exitcause
