// Package process has the rules for the server's process and its streams:
// start, exit, shutdown, flow control and buffering.
package process
