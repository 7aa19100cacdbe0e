// Package check holds the commands check and rules: what is wrong with a recording or a
// server, and what the rules say; drill, which tries faults; and policy, which explains a
// policy and says what it would have decided on the messages of recordings.
package check
