package term

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/session"
	"wiretea/session/check"
	"wiretea/session/filter"
	"wiretea/ui/plain"
)

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
		fmt.Fprintf(cmd.ErrOrStderr(), "wiretea: %s: the recording is incomplete: the recording process was killed, or the file was truncated\n", Visible(path))
	}
	return nil
}
