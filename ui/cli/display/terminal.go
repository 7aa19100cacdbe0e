package display

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"wiretea/ui/cli/term"
)

// CanShow returns why the full screen cannot be shown; empty if it can.
func CanShow(in io.Reader, out io.Writer) string {
	switch {
	case term.Getenv("TERM") == "dumb":
		return "the terminal is dumb"
	case !term.IsTerminal(out):
		return "standard output is not a terminal"
	case !term.IsTerminal(in):
		return "standard input is not a terminal"
	}
	return ""
}

// FallsBack reports whether the screen cannot be shown, and then says on stderr that lines are
// printed instead.
func FallsBack(cmd *cobra.Command) bool {
	why := CanShow(cmd.InOrStdin(), cmd.OutOrStdout())
	if why != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "wiretea: %s: printing line by line, as with --plain\n", why)
	}
	return why != ""
}
