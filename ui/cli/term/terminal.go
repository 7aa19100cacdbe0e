package term

import (
	"os"
	"strings"

	"golang.org/x/term"

	"wiretea/ui/cells"
	"wiretea/ui/format"
)

// Getenv is os.Getenv; one name for the few places that read the environment.
var Getenv = os.Getenv

// IsTerminal reports whether a reader or writer is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// TerminalSize is the width and height of a terminal in cells; 80 by 24 where it
// does not say.
func TerminalSize(stream any) (width, height int) {
	if f, ok := stream.(*os.File); ok {
		if w, h, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			return w, h
		}
	}
	return 80, 24
}

func CutText(text string, width int) string { return strings.TrimRight(cells.Fit(text, width), " ") }

// WantsColour reports whether a stream to people may be coloured: it is a
// terminal that can, and the user did not say no.
func WantsColour(w any) bool {
	return IsTerminal(w) && Getenv("NO_COLOR") == "" && Getenv("TERM") != "dumb"
}

// LongestLine is the longest line that is read from a user, in bytes.
const LongestLine = 64 << 20

func ListOr(words []string, otherwise string) string {
	if len(words) == 0 {
		return otherwise
	}
	return strings.Join(words, ", ")
}

func Visible(text string) string { return format.Visible([]byte(text), 0) }

func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
