// Package policy is the command policy: it checks policies, plays recordings through them,
// and writes a first one from a recording.
package policy
