// Package diff holds the command diff: what differs between two recordings.
package diff
