package cli

import (
	"os"

	"golang.org/x/term"
)

// getenv is os.Getenv; one name for the few places that read the environment.
var getenv = os.Getenv

// isTerminal reports whether a reader or writer is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
