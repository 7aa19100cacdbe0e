// Package process has the rules for the server's process and its streams:
// start, exit, shutdown, flow control and buffering. It also has the rules for
// the session file itself: what it lacks, so that not all is found.
package process
