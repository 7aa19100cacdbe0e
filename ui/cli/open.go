package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"wiretea/recorder/capture"
	"wiretea/recorder/inventory"
	"wiretea/session/client/http"
	"wiretea/session/text"
	"wiretea/ui/cli/display"
	"wiretea/ui/cli/flags"
	"wiretea/ui/cli/run"
	"wiretea/ui/cli/term"
	"wiretea/ui/screen"
	"wiretea/ui/viewer"
)

func newOpen() *cobra.Command {
	var isPlain, asJSON, isMerged bool
	var filter, themeName string
	var fresh display.FreshOptions
	cmd := &cobra.Command{
		Use:   "open [flags] FILE…",
		Short: "show recordings on the full screen, or as text",
		Long: `Shows recordings on the full screen or, with --plain, prints them line by line. A
FILE is a path, or a name that wiretea sessions ls prints. A file that is still being
written is followed to its end; - is standard input; .gz and .zst are decompressed. Of
several files those that are not recordings are skipped.

The screen shows all of a recording, or any moment of it: space plays it from the
selected row, h and l go back and forward by a frame, :at 12.5s goes to a time, esc
shows all again. m marks a row and ; comments it, in a file beside the recording.
r sends the selected request to a new server process and compares the responses.

Several recordings are tabs: ctrl-n goes to the next one, and after the last to all of
them as one list, in the order of the clock: what a client did across its servers.`,
		Example: `  wiretea open session.mcpcap.jsonl
  wiretea open --merged weather files mail
  wiretea open --plain session.mcpcap.jsonl
  wiretea open --plain --filter 'm:tools/call lat>500ms' session.mcpcap.jsonl
  wiretea open --server './server --new' session.mcpcap.jsonl
  zstdcat old.mcpcap.jsonl.zst | wiretea open --plain -`,
		Args: term.Args(1, 0, "wiretea sessions ls names the recordings", "no recording given"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return term.SessionNames(""), cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if isMerged && (isPlain || asJSON || display.CanShow(cmd.InOrStdin(), cmd.OutOrStdout()) != "") {
				return term.Usage("wiretea export --merged --format text FILE… prints them as one list", "--merged is for the screen, which needs a terminal and neither --plain nor --json")
			}
			if !isPlain && !asJSON && !display.FallsBack(cmd) {
				if err := fresh.Check(); err != nil {
					return err
				}
				return display.ShowFiles(cmd.Context(), args, screen.Options{Filter: filter, Merged: isMerged}, themeName, fresh)
			}
			for _, path := range term.OnlyRecordings(args, cmd.ErrOrStderr()) {
				if err := term.PrintRecording(cmd, path, filter, asJSON); err != nil {
					return err
				}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.BoolVar(&isPlain, "plain", false, "print the traffic line by line")
	f.BoolVar(&asJSON, "json", false, "print the traffic as JSON lines")
	f.BoolVar(&isMerged, "merged", false, "show several recordings as one list, in the order of the clock (default for those of one client at the same time)")
	display.ThemeFlag(cmd, &themeName)
	fresh.Add(cmd)
	f.StringVar(&filter, "filter", "", "show only what matches, as in 'm:tools/call lat>500ms'")
	return cmd
}

// newOpener returns what opens the sessions that home asks for, and records into folder.
func newOpener(folder string, says *display.Notices) *viewer.Opener {
	return &viewer.Opener{
		Warn:      says,
		Recording: openRecording,
		Attach: func(path string) (*viewer.Opened, error) {
			src, err := viewer.OpenAttached(path, http.Options{}, says)
			if err != nil {
				return nil, term.WithHint(term.RecordingFailure(path, err))
			}
			return &viewer.Opened{Source: src, Close: func(context.Context) []string { defer src.Close(); return src.Standing() }}, nil
		},
		Run: func(c inventory.Command) (*viewer.Opened, error) { return openServer(c, folder, says) },
		Demo: func() (*viewer.Opened, error) {
			tour, err := run.NewTour(says)
			if err != nil {
				return nil, err
			}
			return &viewer.Opened{Source: tour.Session, Tour: tour, Begin: tour.Run, Close: func(ctx context.Context) []string {
				goodbye(ctx, tour.Session)
				return nil
			}}, nil
		},
	}
}

func openRecording(path string) (*viewer.Opened, error) {
	src, err := display.OpenRecording(path, display.FreshOptions{})
	if err != nil {
		return nil, term.WithHint(err)
	}
	return &viewer.Opened{Source: src, Close: func(context.Context) []string { src.Close(); return nil }}, nil
}

// openServer starts a server as its client.
func openServer(c inventory.Command, folder string, says *display.Notices) (*viewer.Opened, error) {
	limits, err := term.DefaultLimits()
	if err != nil {
		return nil, term.WithHint(err)
	}
	o := flags.Session{
		Server: flags.Server{Name: c.Server.Name, Argv: c.Argv, Shown: c.Shown, Cwd: c.Cwd, Env: c.Env, HTTP: flags.WithHeader(c.Header), Limits: limits},
		Record: flags.Record{Record: capture.Record{Dir: folder}},
	}
	src, err := o.View(text.CommandLine(c.Shown), true, nil, says)
	if err != nil {
		return nil, term.WithHint(err)
	}
	return &viewer.Opened{
		Source: src,
		Begin: func(ctx context.Context) error {
			if _, err := src.Connect(ctx); err != nil {
				return term.WithHint(term.StartFailure(err))
			}
			return nil
		},
		Close: func(ctx context.Context) []string { return goodbye(ctx, src) },
	}, nil
}

// goodbye is Farewell as lines.
func goodbye(ctx context.Context, src *viewer.Session) []string {
	var out, errw strings.Builder
	err := src.Farewell(ctx, &out, &errw, nil)
	lines := strings.Split(strings.TrimSpace(out.String()+errw.String()), "\n")
	if err != nil {
		lines = append(lines, term.OneLine(err.Error()))
	}
	return lines
}
