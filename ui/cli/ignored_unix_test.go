//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// heedSignals has the programs under test begin with the ordinary dispositions
// of the signals that nohup and a shell's background jobs ignore: what is ignored
// is inherited across exec, what is handled is reset.
func heedSignals() {
	for _, sig := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if signal.Ignored(sig) {
			signal.Notify(make(chan os.Signal, 1), sig)
		}
	}
}
