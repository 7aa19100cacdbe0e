package term

import (
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"

	"wiretea/session/lazy"
	"wiretea/ui/cells"
	"wiretea/ui/format"
)

// Output returns what a command writes to f with: f itself, exact in every byte, unless
// it is a terminal. A terminal gets a text that is visible and never obeyed: what
// format.Visible does not show as it is is written as what it is, line feeds and tabs
// aside.
func Output(f *os.File) io.Writer {
	if !IsTerminal(f) {
		return f
	}
	return &screen{file: f}
}

// Painted returns w for a text with colours of ours, whose quoted parts are visible
// already, and reports whether it may have any: w is a terminal that can, and the user did
// not say no.
func Painted(w io.Writer) (painted io.Writer, colour bool) {
	s, ok := w.(*screen)
	if !ok || Getenv("NO_COLOR") != "" || Getenv("TERM") == "dumb" {
		return w, false
	}
	return s.with(colours.Get()), true
}

// screen is the one way of a command's text to a terminal.
type screen struct {
	file   *os.File
	obeyed *regexp.Regexp // obeyed are the sequences that are written as they are; nil = none.

	mu      sync.Mutex // mu guards what follows.
	visible format.Lines
	cut     []byte // cut is the beginning of a character whose end is not written yet.
}

func (s *screen) with(obeyed *regexp.Regexp) *screen { return &screen{file: s.file, obeyed: obeyed} }

// colours are the sequences of a painted text.
var colours = lazy.Regexp{Text: "\x1b\\[[0-9;]*m"}

// redrawing are those of a line that is drawn again in its place.
var redrawing = lazy.Regexp{Text: "\r\x1b\\[K"}

// Write is of io.Writer. Of a character that is cut the beginning waits for its end.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := append(s.cut, p...)
	s.cut = nil
	if n := cutTail(text); n > 0 {
		s.cut, text = append(s.cut, text[len(text)-n:]...), text[:len(text)-n]
	}
	var b strings.Builder
	for len(text) > 0 {
		at := []int{len(text), len(text)}
		if s.obeyed != nil {
			if found := s.obeyed.FindIndex(text); found != nil {
				at = found
			}
		}
		s.visible.Append(&b, text[:at[0]])
		b.Write(text[at[0]:at[1]])
		text = text[at[1]:]
	}
	if _, err := io.WriteString(s.file, b.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// cutTail is how many bytes at the end of a text are the beginning of a character.
func cutTail(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if c := text[len(text)-n]; utf8.RuneStart(c) {
			if utf8.FullRune(text[len(text)-n:]) {
				return 0
			}
			return n
		}
	}
	return 0
}

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
