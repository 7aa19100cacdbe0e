package replay

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"wiretea/recorder/analysis"
	"wiretea/recorder/capture"
	"wiretea/recorder/replay"
	"wiretea/recorder/verdict/report"
	"wiretea/session/client"
	"wiretea/session/text"
	"wiretea/session/transport"
	"wiretea/ui/cli/flags"
	"wiretea/ui/cli/term"
)

// replayOptions are the flags of replay.
type replayOptions struct {
	flags.Session

	pace          string
	bytes         bool
	keepGoing     bool
	strict        bool
	ignorePaths   []string
	ignoreMethods []string
	junit         string
	json          bool
	quiet         bool
	conn          int
}

func New() *cobra.Command {
	var o replayOptions
	cmd := &cobra.Command{
		Use:   "replay FILE [flags] -- CMD [ARGS…] | replay FILE [flags] URL",
		Short: "send a recording's client side to a server and compare",
		Long: `Starts a server, sends it the messages of the recorded client, and compares the
server's messages with the recorded ones. Each message is sent once everything that
the client had received before it has come. The first divergence is shown with its
frame in the recording, and ends the replay; --keep-going continues. Cursors, task
ids, requestState and the server's own ids are those of the live server; its requests
are answered as the recorded client answered them.

_meta, times and the server's version are not compared; --ignore-path ignores more,
--strict ignores nothing. The order of members and the notation of numbers and strings
are never compared; a message on several lines, a CRLF line ending and invalid UTF-8
are divergences.

Exit code: 0 equal, 1 different, 2 wrong usage or a server of the other era, 3 the
server could not be started or died, 4 a response did not come in time.`,
		Example: `  wiretea replay bug.mcpcap.jsonl -- ./my-server --stdio
  wiretea replay bug.mcpcap.jsonl --keep-going --ignore-path '..requestId' -- ./my-server
  wiretea replay bug.mcpcap.jsonl --junit report.xml -- npx -y @modelcontextprotocol/server-everything
  wiretea replay bug.mcpcap.jsonl http://localhost:3000/mcp
  wiretea replay bug.mcpcap.jsonl --pace step -- python server.py
  wiretea replay bug.mcpcap.jsonl --bytes --record again.mcpcap.jsonl -- ./my-server`,
		Args: replayArgs,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault // a recording, or behind -- the server's command
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Server.Argv = args[1:]
			return o.run(cmd, args[0])
		},
	}
	o.flags(cmd)
	return cmd
}

// replayArgs wants a recording before --, and a command behind it.
func replayArgs(cmd *cobra.Command, args []string) error {
	const form = "wiretea replay FILE -- CMD ARGS…"
	switch at := cmd.ArgsLenAtDash(); {
	case len(args) == 0 || at == 0:
		return term.Usage(form, "no recording given")
	case at < 0 && len(args) == 2 && flags.IsURL(args[1:]):
		return nil
	case at < 0 && len(args) == 1 || at == len(args):
		return term.Usage(recordedCommand(args[0], form), "no server command given: put it after --")
	case at > 1:
		return term.Usage(form, "%d files given, want one", at)
	case at < 0:
		return term.Usage(form, "put the server's command after --")
	}
	return nil
}

// recordedCommand is how to replay to the command that was recorded. It is never
// run unasked: recordings come from other people.
func recordedCommand(path, form string) string {
	f, err := term.OpenRecording(path)
	if err != nil {
		return form
	}
	defer f.Close()
	h := f.Header()
	if h == nil || len(h.Server()) == 0 {
		return form
	}
	const longest = 300 // What is cut would be another command.
	command := text.CommandLine(h.Server())
	if len(command) > longest {
		return form
	}
	return "recorded was: wiretea replay " + text.ShellFile(path) + " -- " + command
}

func (o *replayOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.pace, "pace", "fast", "fast, recorded (with the recorded pauses), or step (enter sends the next message)")
	f.BoolVar(&o.bytes, "bytes", false, "send the exact recorded bytes, including faults, with nothing replaced")
	f.BoolVar(&o.keepGoing, "keep-going", false, "collect divergences instead of ending at the first one")
	f.BoolVar(&o.strict, "strict", false, "compare _meta, times and the server's version too")
	f.StringArrayVar(&o.ignorePaths, "ignore-path", nil, "leave out values at this `PATH` of messages, as in .result.content[0].text or ..requestId; repeatable")
	f.StringArrayVar(&o.ignoreMethods, "ignore-method", nil, "leave out notifications of this `METHOD`, as in notifications/message; repeatable")
	f.StringVar(&o.junit, "junit", "", "write a JUnit report to `FILE`, a test for each request")
	f.BoolVar(&o.json, "json", false, "print divergences and the outcome as JSON lines")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "print only divergences")
	f.IntVar(&o.conn, "connection", 0, "replay this connection, counted from 1 (default: all, each to a new process)")
	o.Server.Add(cmd)
	o.Record.Add(cmd)
	term.Complete(cmd, "pace", "fast", "recorded", "step")
	_ = cmd.MarkFlagFilename("junit", "xml")
}

// player turns the flags into a Player.
func (o *replayOptions) player() (replay.Player, error) {
	cfg := replay.Player{Bytes: o.bytes, KeepGoing: o.keepGoing, Strict: o.strict, IgnoreMethods: o.ignoreMethods, Timeout: o.Server.Limits.For}
	if o.pace != "step" {
		pace, ok := paces.Get()[o.pace]
		if !ok {
			return cfg, term.Usage("it is fast, recorded or step", "unknown pace %q", o.pace)
		}
		cfg.Pace = pace
	}
	var err error
	cfg.Ignore, err = term.Paths("ignore-path", o.ignorePaths)
	return cfg, err
}

func (o *replayOptions) run(cmd *cobra.Command, path string) error {
	if err := term.LimitSettings(cmd); err != nil {
		return err
	}
	if err := errors.Join(o.Server.Check(), o.Record.Check()); err != nil {
		return err
	}
	cfg, err := o.player()
	if err != nil {
		return err
	}
	errw := cmd.ErrOrStderr()
	o.Record.Reads = []string{path}
	if o.junit != "" {
		if _, err := term.MaySave(o.junit, path, o.mayReport()); err != nil {
			return err
		}
	}
	scripts, file, err := drawScripts(cmd.Context(), path, o.conn, replay.ServerEnd, errw)
	if err != nil {
		return err
	}
	defer file.Close()
	if o.pace == "step" {
		cfg.Step = stepper(cmd.InOrStdin(), errw)
	}
	printer := &report.ReplayPrinter{Out: cmd.OutOrStdout(), Errw: errw, JSON: o.json, Quiet: o.quiet, Ignore: cfg.Ignore, Strict: o.strict, Many: len(scripts) > 1}
	cfg.Found = printer.Found
	code, err := o.play(cmd.Context(), cfg, scripts, printer)
	if o.junit != "" && (err == nil || len(printer.Played) > 0) {
		if failed := o.writeJUnit(cmd.Context(), path, printer.Played); failed != nil {
			return failed
		}
	}
	if err != nil {
		return err
	}
	if err := printer.Err; err != nil {
		return fmt.Errorf("writing the outcome: %w", err)
	}
	return term.Silently(code)
}

// mayReport reports whether --junit may replace what is there: the report of an earlier
// run, but no file at the end of a link, and nothing else, unless --force is given.
func (o *replayOptions) mayReport() bool {
	if info, err := os.Lstat(o.junit); o.Record.Force || err != nil || !info.Mode().IsRegular() {
		return o.Record.Force
	}
	f, err := os.Open(o.junit)
	if err != nil {
		return false
	}
	defer f.Close()
	begin := make([]byte, 256)
	n, _ := io.ReadFull(f, begin)
	return bytes.Contains(begin[:n], []byte("<testsuites"))
}

// writeJUnit writes the report of --junit, which other users may read: CI systems collect it.
func (o *replayOptions) writeJUnit(ctx context.Context, recording string, played []report.Played) error {
	err := term.SaveFile(ctx, o.junit, recording, o.mayReport(), func(w io.Writer) error {
		return report.WriteReplayJUnit(w, recording, played)
	})
	if info, serr := os.Lstat(o.junit); err == nil && serr == nil && info.Mode().IsRegular() {
		return os.Chmod(o.junit, 0o644)
	}
	return err
}

// play plays each connection to a server of its own, and returns the exit code.
func (o *replayOptions) play(ctx context.Context, cfg replay.Player, scripts []*replay.Script, printer *report.ReplayPrinter) (code int, err error) {
	session, err := o.Config()
	if err != nil {
		return term.ExitUsage, err
	}
	session.Warn = printer.Errw
	run, err := capture.New(session)
	if err != nil {
		return term.ExitUsage, o.Record.Failure(err)
	}
	for _, s := range scripts {
		begin := time.Now()
		printer.Begin(s)
		var conn capture.Conn
		if conn, err = run.Start(); err != nil {
			break
		}
		var got *replay.Outcome
		got, err = cfg.Play(ctx, s, conn)
		code = max(code, outcomeCode(got))
		if err != nil {
			break
		}
		if printer.End(s, got, time.Since(begin)); got.Stopped {
			break
		}
	}
	why := "eof"
	if ctx.Err() != nil {
		why = "quit"
	}
	fault := run.Close(ctx, why)
	if code >= term.ExitServer && ctx.Err() == nil {
		sayServer(printer.Errw, run)
	}
	fault = errors.Join(fault, o.Record.Release(run, printer.Errw, o.quiet || o.json))
	if fault != nil && ctx.Err() == nil {
		fmt.Fprintf(printer.Errw, "wiretea: %v\n", fault)
	}
	return code, replayFailure(ctx, err)
}

// sayServer says how the latest server ended, and its last words.
func sayServer(errw io.Writer, run *capture.Run) {
	s := run.Snapshot()
	conns := s.Conns()
	if len(conns) == 0 {
		return
	}
	e := analysis.Gather(s, run.Log(), &conns[len(conns)-1])
	fmt.Fprintf(errw, "  server: %s\n", e.Process)
	for _, line := range e.LastStderr() {
		fmt.Fprintf(errw, "  stderr: %s\n", line)
	}
}

// outcomeCode is the exit code for what came of a play.
func outcomeCode(got *replay.Outcome) (code int) {
	if got.Found > 0 {
		code = term.ExitFound
	}
	for _, d := range got.First {
		switch {
		case d.TimedOut:
			code = max(code, term.ExitTimeout)
		case d.Kind == replay.Died:
			code = max(code, term.ExitServer)
		}
	}
	return code
}

// replayFailure words why there is no outcome.
func replayFailure(ctx context.Context, err error) error {
	var notStarted *transport.StartError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return term.Silently(term.ExitInterrupted)
	case errors.Is(err, replay.ErrEra):
		return &term.Failure{Code: term.ExitUsage, Hint: "record the session again with this server; wiretea mock stands in for the recorded one", Err: err}
	case errors.As(err, &notStarted), errors.As(err, new(*client.HTTPError)):
		return term.StartFailure(err)
	case errors.Is(err, errNoMoreSteps):
		return &term.Failure{Code: term.ExitInterrupted, Err: errNoMoreSteps}
	}
	return &term.Failure{Code: term.ExitServer, Err: fmt.Errorf("replaying: %w", err)}
}

var errNoMoreSteps = errors.New("standard input ended before the last message was sent")

// stepper asks before each message: enter sends it, the end of the input ends the
// replay. A read that blocks cannot be interrupted: its goroutine ends with its next
// line.
func stepper(in io.Reader, errw io.Writer) func(ctx context.Context, n uint64, what string) error {
	lines := bufio.NewReader(in)
	return func(ctx context.Context, n uint64, what string) error {
		fmt.Fprintf(errw, "frame %d: → %s · enter sends it ", n, text.Visible([]byte(what), 200))
		entered := make(chan error, 1)
		go func() {
			_, err := lines.ReadString('\n')
			entered <- err
		}()
		select {
		case err := <-entered:
			if err != nil {
				fmt.Fprintln(errw)
				return errNoMoreSteps
			}
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
