//go:build unix

// Package rawio copies between descriptors with blocking system calls, past the
// runtime's poller. It is the baseline that a tee is measured against.
package rawio
