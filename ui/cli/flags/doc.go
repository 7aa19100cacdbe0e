// Package flags holds the flags that several commands share because they begin a
// session: what server is started, how we behave as its client, and where the
// session is recorded. Session.Config turns them into the configuration of a
// capture.Run.
//
// Errors are *term.Failure with a hint. The package starts nothing and prints
// nothing, except that Record.Prune says what it has removed.
package flags
