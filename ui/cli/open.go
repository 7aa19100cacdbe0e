package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/check"
	"wiretea/ui/cli/display"
	"wiretea/ui/cli/term"
	"wiretea/ui/plain"
)

func newOpen() *cobra.Command {
	var isPlain, asJSON bool
	var filter, themeName string
	var fresh display.FreshOptions
	cmd := &cobra.Command{
		Use:   "open [flags] FILE…",
		Short: "read recordings",
		Long: `Shows recordings on the full screen or, with --plain, prints them as run prints
the live session. A file that is still being written is followed to its end; -
is standard input; .gz and .zst are unpacked.

The screen shows all of a recording, and any moment of it: space plays it from the
selected row, h and l go a frame back and on in time, :at 12.5s goes to a time, esc
shows all again. m marks a row and ; comments it, in a file beside the recording.
r sends the selected request to a fresh server and compares the answers.`,
		Example: `  wiretea open session.mcpcap.jsonl
  wiretea open --plain session.mcpcap.jsonl
  wiretea open --plain --filter 'm:tools/call lat>500ms' session.mcpcap.jsonl
  wiretea open --server './server --new' session.mcpcap.jsonl
  zstdcat old.mcpcap.jsonl.zst | wiretea open --plain -`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return term.Usage("wiretea sessions ls names the recordings", "no recording given")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if !isPlain && !asJSON && !display.FallsBack(cmd) {
				if err := fresh.Check(); err != nil {
					return err
				}
				return display.ShowFiles(cmd.Context(), args, filter, themeName, fresh)
			}
			for _, path := range args {
				if err := printRecording(cmd, path, filter, asJSON); err != nil {
					return err
				}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.BoolVar(&isPlain, "plain", false, "print the traffic line by line")
	f.BoolVar(&asJSON, "json", false, "print the traffic as one JSON object a line")
	display.ThemeFlag(cmd, &themeName)
	fresh.Add(cmd)
	f.StringVar(&filter, "filter", "", "show only what matches, as in 'm:tools/call lat>500ms'")
	return cmd
}

// printRecording prints one recording, and follows it while it is written.
func printRecording(cmd *cobra.Command, path, filter string, asJSON bool) error {
	out := cmd.OutOrStdout()
	p, err := term.NewPrinting(out, filter, asJSON)
	if err != nil {
		return err
	}
	f, err := term.OpenRecording(path)
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
		follower.Now = term.SinceStart(f.Header())
	}
	err = follower.Run(ctx)
	if err != nil && !errors.Is(err, context.Canceled) {
		return term.RecordingFailure(path, err)
	}
	s := analyzer.Snapshot()
	if s.Header() == nil && follower.Torn == 0 && ctx.Err() == nil {
		return term.RecordingFailure(path, term.ErrNothing(path))
	}
	if err := p.Last(s, f); err != nil {
		return err
	}
	if !asJSON {
		plain.WriteSummary(out, s, term.WantsColour(out), false)
	}
	term.ReportDamage(cmd.ErrOrStderr(), path, &follower)
	if s.End() == nil && ctx.Err() == nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "wiretea: %s: the recording breaks off without its end: what recorded it was killed, or the file was cut\n", path)
	}
	return nil
}
