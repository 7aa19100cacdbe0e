//go:build !linux

package transport

import "io"

// adopt does nothing: the parent of the processes that a server leaves behind is the
// system, and they cannot be told from others.
func adopt() {}

// reap has nothing to do.
func reap(int) io.Closer { return io.NopCloser(nil) }

// leftovers are not found here.
func leftovers() []int { return nil }
