//go:build unix && !linux

package transport

import (
	"os/signal"
	"syscall"
)

// restoreDefault makes a signal do what it does in any program, as far as the
// runtime lets it.
func restoreDefault(sig syscall.Signal) { signal.Reset(sig) }
