// Package cause finds the most likely root cause of the problems of a session,
// describes it in one sentence, and says which findings are consequences of
// which. It also reads what a program wrote before it ended.
//
//	findings + process + timing (Snapshot), stderr (Lines) ─ Among ─► Diagnosis
//
//	line ─ Add ─► Words ─ Last ─► the statement that explains why ─ Show ─► for a sentence
//	                 statement ─ Of ─► Cause: what that most likely means, and what to change
//
// The root is chosen by what a connection needs first: a server that could not
// be started, one that exited, one whose stdout cannot be parsed, one that does
// not respond; then the finding with the highest severity. The output on stderr
// at that time gives the reason. A healthy session, and one with only infos, has
// an empty diagnosis. A finding that another replaces is marked as refuted: that
// a server exited, once another connection shows which message it exits on.
// Findings of several connections with the same cause are one group.
//
// A statement is a line without the time, the level and the name that loggers
// write before it, with the lines that belong to it: the message of a structured
// log, an exception with its details, the items of a list. Words keep the latest
// ones that look like errors; their memory is bounded. Lines of stack traces,
// warnings and progress do not explain an end. An exception has the place in the
// program that its trace names, outside of libraries.
//
// A Cause is looked up in causes.txt, for a program that runs in its waits:
// messages of runtimes, shells, package managers, loggers and common libraries.
// It is a guess, made only for statements that explain an end, and it names only
// what the statement names.
//
// The package judges nothing itself and changes no finding. A Diagnosis reads
// only the latest rows of a session, and a few dozen lines of stderr. These reads
// are I/O; screens call it in a command, not in Update. Families of rules use
// only Words and Of.
package cause
