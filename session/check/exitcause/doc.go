// Package exitcause reads what a program wrote before it ended.
//
//	line ─ Add ─► Words ─ Last ─► the statement that explains why ─ Show ─► for a sentence
//	                 statement ─ Of ─► Cause: what that most likely means, and what to change
//
// A statement is what a line says without the time, the level and the name that
// loggers write before it, with the lines that belong to it: the message of a
// structured log, an exception with its details, the items of a list. Words keep
// the latest ones that look like errors; their memory is bounded. Lines of stack
// traces, warnings and progress do not explain an end.
//
// An exception has the place in the program that its trace names, outside of libraries.
//
// A Cause is looked up in causes.txt, for a program that runs in its waits: messages of runtimes, shells, package
// managers, loggers and common libraries. It is a guess, made only for statements
// that explain an end, and it names only what the statement names.
//
// It knows nothing of the protocol and assigns no fault.
package exitcause
