package term

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/check"
	"wiretea/session/filter"
	"wiretea/session/lazy"
	"wiretea/session/text"
	"wiretea/ui/plain"
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
	visible text.Lines
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

// IsPipe reports whether a stream is a pipe or a socket.
func IsPipe(stream any) bool {
	f := fileOf(stream)
	if f == nil {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0
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

func Visible(words string) string { return text.Visible([]byte(words), 0) }

func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// A Printing prints a session that advances. Moved and Last are called from
// different goroutines, but never at once.
type Printing struct {
	Printer plain.Printer
	Gone    func() // Gone is called when nobody reads what is printed; nil = nobody wants to know.
	err     error
}

// NewPrinting returns a Printing to out of what matches filter; the empty filter
// matches everything.
func NewPrinting(out io.Writer, filter string, asJSON bool) (*Printing, error) {
	p := &Printing{Printer: plain.Printer{Out: out, JSON: asJSON}}
	if !asJSON {
		p.Printer.Out, p.Printer.Colour = Painted(out)
	}
	f, err := ParseFilter(filter)
	p.Printer.Filter = f
	return p, err
}

// ParseFilter reads what was given with --filter; nil for nothing.
func ParseFilter(text string) (*filter.Filter, error) {
	if text == "" {
		return nil, nil
	}
	f, err := filter.Parse(text)
	if err != nil {
		return nil, Usage("for example m:tools/call d:s2c is:error lat>500ms size>64k sev>=warning b~\"rex\"", "filter: %w", err)
	}
	return f, nil
}

// Moved prints what is new.
func (p *Printing) Moved(s *session.Snapshot, log recorder.Log) { p.print(s, log, false) }

// Last prints what is left and returns the first error of all.
func (p *Printing) Last(s *session.Snapshot, log recorder.Log) error {
	p.print(s, log, true)
	return p.err
}

func (p *Printing) print(s *session.Snapshot, log recorder.Log, last bool) {
	p.Printer.Log = log
	if p.err != nil {
		return
	}
	if p.err = p.Printer.Print(s, last); ReaderGone(p.err) && p.Gone != nil {
		p.Gone()
	}
}

// PrintRecording prints one recording, and follows it while it is written.
func PrintRecording(cmd *cobra.Command, path, filter string, asJSON bool) error {
	out := cmd.OutOrStdout()
	p, err := NewPrinting(out, filter, asJSON)
	if err != nil {
		return err
	}
	f, err := OpenRecording(path)
	if err != nil {
		return err
	}
	defer f.Close()
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	p.Gone = cancel
	analyzer := session.NewAnalyzer(session.Config{Checkers: check.New()})
	follower := recorder.Follower{Log: f, Analyzer: analyzer, Moved: func() { p.Moved(analyzer.Snapshot(), f) }}
	if f.Live() == recorder.Live {
		follower.Now = recorder.SinceStart(f.Header())
	}
	err = follower.Run(ctx)
	if err != nil && !errors.Is(err, context.Canceled) {
		return RecordingFailure(path, err)
	}
	s := analyzer.Snapshot()
	if s.Header() == nil && cmd.Context().Err() != nil {
		return Silently(ExitInterrupted) // Nothing has come yet.
	}
	if s.Header() == nil && follower.Torn == 0 && ctx.Err() == nil {
		return RecordingFailure(path, ErrNothing(path))
	}
	if err := p.Last(s, f); err != nil {
		return err
	}
	if !asJSON {
		d := analysis.Diagnose(s, f, nil)
		plain.WriteSummary(p.Printer.Out, s, &d, p.Printer.Colour, false)
	}
	ReportDamage(cmd.ErrOrStderr(), path, &follower)
	if s.End() == nil && ctx.Err() == nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "wiretea: %s: the recording is incomplete: %s\n", Visible(path), session.NoEnd)
	}
	return nil
}
