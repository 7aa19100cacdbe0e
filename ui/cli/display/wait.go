package display

import (
	"fmt"
	"io"
	"strings"

	"wiretea/recorder/capture"
	"wiretea/ui/cli/term"
	"wiretea/ui/format"
)

// Slow returns a capture.Config.Slow that says a line for each wait.
func Slow(errw io.Writer) func(capture.Wait) {
	return func(w capture.Wait) { fmt.Fprintf(errw, "wiretea: %s\n", WaitWords(w)) }
}

// WaitWords says for what and how long something waits, and until when, on one line
// that is safe to print.
func WaitWords(w capture.Wait) string {
	words := term.Visible(strings.TrimSpace(w.Method+" "+w.Target)) + " waits for " + format.Wait(w.For)
	switch {
	case w.Launcher != "":
		return words + ": " + w.Launcher + " has not started the server, it may be downloading or building it; the time limit does not run meanwhile"
	case w.Limit > 0 && w.Probe:
		words += "; wiretea tries initialize at " + format.Wait(w.Limit)
	case w.Limit > 0:
		words += "; wiretea gives up at " + format.Wait(w.Limit)
	}
	if w.Starting {
		words += "; the server may still be starting"
	}
	return words
}
