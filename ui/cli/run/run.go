package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"wiretea/recorder/analysis"
	"wiretea/recorder/capture"
	"wiretea/session"
	"wiretea/session/filewatch"
	"wiretea/ui/cli/display"
	"wiretea/ui/cli/flags"
	"wiretea/ui/cli/term"
	"wiretea/ui/plain"
	"wiretea/ui/screen"
	"wiretea/ui/source"
	"wiretea/ui/viewer"
)

// runOptions are the flags of run.
type runOptions struct {
	flags.Session
	watch watchOptions

	sends  []string
	pace   time.Duration // pace is how far apart sends go out, without waiting for responses; 0 waits for each.
	linger time.Duration // linger is how long the connection stays open after the last response.
	filter string
	plain  bool
	json   bool
	theme  string
	quiet  bool // quiet leaves out the summary's table and the path of the record.
}

func New() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run [flags] -- CMD [ARGS…] | URL",
		Short: "start a server and inspect it as its client",
		Long: `Starts a server, or connects to the one at a URL, makes the handshake of the era it
speaks, sends what you type and shows all traffic: time, direction, method, id,
latency, size, findings, stderr and the exit of the process, or the round trips of
HTTP; on the full screen or, with --plain, line by line. The session is recorded.

Type a method with its parameters, or a whole message:

  tools/list
  tools/call {"name":"echo","arguments":{"message":"hi"}}
  {"jsonrpc":"2.0","id":"mine","method":"ping"}`,
		Example: `  wiretea run -- npx -y @modelcontextprotocol/server-everything
  wiretea run --plain -- npx -y @modelcontextprotocol/server-everything
  wiretea run --plain --send tools/list -- ./my-server --stdio
  wiretea run --policy policy.toml -- ./server
  wiretea run --login auto https://example.com/mcp
  wiretea run --token-env TOKEN https://example.com/mcp
  wiretea run --watch src --build 'go build -o server .' -- ./server
  wiretea run --watch server.py -- python server.py
  echo tools/list | wiretea run --plain --era legacy --env API_KEY=x -- python server.py`,
		Args: flags.Args,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Server.Argv = args
			if o.pace > 0 && len(o.sends) == 0 {
				return term.Usage("--send LINE is what is sent", "--pace goes with --send")
			}
			if err := errors.Join(term.LimitSettings(cmd), o.Client.CheckLogLevel()); err != nil {
				return err
			}
			if err := errors.Join(o.Server.Check(), o.watch.check(), o.Record.Check()); err != nil {
				return err
			}
			if !o.plain && !o.json && !display.FallsBack(cmd) {
				code, err := o.showLive(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
				if err != nil {
					return err
				}
				return term.Silently(code)
			}
			in := cmd.InOrStdin()
			if len(o.sends) > 0 {
				in = nil
			}
			code, err := o.play(cmd.Context(), in, cmd.OutOrStdout(), cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			return term.Silently(code)
		},
	}
	o.add(cmd)
	return cmd
}

func (o *runOptions) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.BoolVar(&o.plain, "plain", false, "print the traffic line by line")
	display.ThemeFlag(cmd, &o.theme)
	f.BoolVar(&o.json, "json", false, "print the traffic as JSON lines")
	f.StringArrayVar(&o.sends, "send", nil, "send `LINE` after the handshake instead of reading standard input; repeatable, each waits for its answer")
	f.DurationVar(&o.pace, "pace", 0, "send --send lines this far apart, without waiting for answers")
	f.DurationVar(&o.linger, "linger", 0, "keep the connection open for this long after the last answer")
	f.StringVar(&o.filter, "filter", "", "show only what matches, as in 'm:tools/call lat>500ms'")
	o.Client.AddLogLevel(cmd)
	o.watch.flags(cmd)
	o.Client.Add(cmd, "ask on the screen, else none")
	o.Server.Add(cmd)
	o.Record.Add(cmd)
	o.InPath.Add(cmd)
}

// play is a whole session: start, handshake, conversation, end. It returns the
// exit code.
func (o *runOptions) play(ctx context.Context, in io.Reader, out, errw io.Writer) (int, error) {
	if o.watch.on() {
		return o.playWatched(ctx, in, out, errw)
	}
	cfg, err := o.Config()
	if err != nil {
		return term.ExitUsage, err
	}
	printer, err := term.NewPrinting(out, o.filter, o.json)
	if err != nil {
		return term.ExitUsage, err
	}
	ctx, printer.Gone = context.WithCancel(ctx)
	defer printer.Gone()
	cfg.Moved, cfg.Warn, cfg.Slow = printer.Moved, errw, display.Slow(errw)
	r, err := capture.New(cfg)
	if err != nil {
		return term.ExitUsage, o.Record.Failure(err)
	}
	code, why, err := o.talk(ctx, r, in, errw)
	err = errors.Join(err, r.Close(ctx, why), printer.Last(r.Snapshot(), r.Log()))
	if ctx.Err() != nil {
		code = term.ExitFine // the user stopped it
	}
	err = errors.Join(err, o.finish(out, errw, r))
	if t := r.Snapshot().Totals(); t.Findings[session.Error]+t.Findings[session.Warning] > 0 {
		code = max(code, term.ExitFound)
	}
	return code, err
}

// talk connects and converses. why is what the record's end says.
func (o *runOptions) talk(ctx context.Context, r *capture.Run, in io.Reader, errw io.Writer) (code int, why string, err error) {
	c, err := r.Connect(ctx)
	if c == nil {
		if ctx.Err() != nil {
			return term.ExitFine, "quit", nil
		}
		return term.ExitServer, "error", term.StartFailure(err)
	}
	talk := newTalk(c, errw)
	if err != nil {
		talk.failed("logging/setLevel", err)
	}
	if o.pace > 0 {
		talk.Paced(ctx, o.sends, o.pace)
	} else {
		talk.Each(ctx, o.sends)
	}
	if in != nil {
		talk.typed(ctx, in)
	}
	talk.Idle(ctx, o.linger)
	why = "eof"
	if ctx.Err() != nil {
		why = "quit"
	}
	return talk.worst, why, nil
}

// finish prints what a closed session came to, and releases it.
func (o *runOptions) finish(out, errw io.Writer, r *capture.Run) error {
	if !o.json {
		s := r.Snapshot()
		d := analysis.Diagnose(s, r.Log(), nil)
		painted, colour := term.Painted(out)
		plain.WriteSummary(painted, s, &d, colour, o.quiet)
		if r.FinalPath() != "" && !o.quiet {
			fmt.Fprintln(errw)
		}
	}
	return o.Record.Release(r, errw, o.quiet || o.json)
}

// showLive runs the screen on a server of ours.
func (o *runOptions) showLive(ctx context.Context, out, errw io.Writer) (int, error) {
	says := &display.Notices{}
	files, stop, err := o.watch.start(ctx)
	if err != nil {
		return term.ExitUsage, err
	}
	defer stop()
	src, err := o.View(flags.Place(o.Server.Argv), true, nil, says)
	if err != nil {
		return term.ExitUsage, err
	}
	// The server and its record end also where the terminal is stuck.
	defer context.AfterFunc(ctx, func() { _ = src.Close(ctx) })()
	shown, begin := o.begin(src, files, says)
	err = display.Show(ctx, screen.Options{Sources: []source.Source{shown}, Filter: o.filter}, says, o.theme, begin)
	return term.ExitFine, src.Farewell(ctx, out, errw, err)
}

// begin returns what the screen shows of a session, and what happens once it does.
func (o *runOptions) begin(src *viewer.Session, files *filewatch.Files, says *display.Notices) (source.Source, func(context.Context) error) {
	if o.watch.on() {
		s := o.watched(src, files, nil, says)
		return s, func(ctx context.Context) error { s.Run(ctx); return nil }
	}
	return src, func(ctx context.Context) error {
		if _, err := src.Connect(ctx); err != nil {
			return term.ScreenFailure(err)
		}
		for _, line := range o.sends {
			if err := src.Send(ctx, line); err != nil {
				return err
			}
		}
		return nil
	}
}
