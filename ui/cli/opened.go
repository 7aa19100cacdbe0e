package cli

import (
	"context"
	"strings"

	"wiretea/recorder/capture"
	"wiretea/recorder/inventory"
	"wiretea/session/client/http"
	"wiretea/ui/cli/display"
	"wiretea/ui/cli/flags"
	"wiretea/ui/cli/run"
	"wiretea/ui/cli/term"
	"wiretea/ui/format"
	"wiretea/ui/viewer"
)

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
	src, err := o.View(format.CommandLine(c.Shown), true, nil, says)
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
