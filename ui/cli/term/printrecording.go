package term

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/check"
	"wiretea/ui/plain"
)

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
	if s.Header() == nil && follower.Torn == 0 && ctx.Err() == nil {
		return RecordingFailure(path, ErrNothing(path))
	}
	if err := p.Last(s, f); err != nil {
		return err
	}
	if !asJSON {
		plain.WriteSummary(out, s, WantsColour(out), false)
	}
	ReportDamage(cmd.ErrOrStderr(), path, &follower)
	if s.End() == nil && ctx.Err() == nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "wiretea: %s: the recording is incomplete: the recording process was killed, or the file was truncated\n", path)
	}
	return nil
}
