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

// IsTerminal reports whether a reader or writer, or what Output made of one, is a
// terminal.
func IsTerminal(stream any) bool {
	f := fileOf(stream)
	return f != nil && term.IsTerminal(int(f.Fd()))
}

// TerminalSize is the width and height of a terminal in cells; 80 by 24 where it
// does not say.
func TerminalSize(stream any) (width, height int) {
	if f := fileOf(stream); f != nil {
		if w, h, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			return w, h
		}
	}
	return 80, 24
}

func fileOf(stream any) *os.File {
	switch f := stream.(type) {
	case *os.File:
		return f
	case *screen:
		return f.file
	}
	return nil
}

func CutText(text string, width int) string { return strings.TrimRight(cells.Fit(text, width), " ") }

func Visible(text string) string { return format.Visible([]byte(text), 0) }

func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
