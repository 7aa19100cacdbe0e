package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/spf13/cobra"

	"wiretea/recorder"
	"wiretea/recorder/replay"
	"wiretea/session"
	"wiretea/session/lazy"
	"wiretea/session/text"
	"wiretea/ui/cli/term"
)

// mockOptions are the flags of mock.
type mockOptions struct {
	pace      string
	unmatched string
	healthy   bool
	quiet     bool
	conn      int
	http      string // http is the address to listen on; empty = standard input and output.
}

var (
	paces = lazy.Value[map[string]replay.Pace]{New: func() map[string]replay.Pace {
		return map[string]replay.Pace{"fast": replay.Fast, "recorded": replay.Recorded}
	}}
	policies = lazy.Value[map[string]replay.Policy]{New: func() map[string]replay.Policy {
		return map[string]replay.Policy{"error": replay.Refuse, "nearest": replay.Nearest, "empty": replay.Empty}
	}}
)

func NewMock() *cobra.Command {
	var o mockOptions
	cmd := &cobra.Command{
		Use:   "mock FILE",
		Short: "stand in for a recorded server",
		Long: `Serves the server's side of a recording on standard input and output to any client,
without the server and without a network. A request gets the recorded response to the
same request: the same method and parameters, without regard to ids, _meta and the
order of members. Equal requests get their responses in the recorded order.
Notifications, progress and the server's own requests come where they came. So do the
server's faults: stray lines, silence, second responses, stderr, an early exit, the
exit code; --healthy leaves them out.

A request without a recorded response left gets an error; --on-unmatched nearest
repeats the nearest response, and empty returns an empty result. Deviations from the
recording are reported on standard error.

--http stands in for a recorded server of HTTP: status, header fields, and streams
with their comments, ids and ends. Session ids are new ones.`,
		Example: `  wiretea mock session.mcpcap.jsonl
  wiretea run -- wiretea mock session.mcpcap.jsonl
  wiretea mock --healthy --on-unmatched nearest session.mcpcap.jsonl
  wiretea mock --pace recorded session.mcpcap.jsonl.gz
  wiretea mock --http 127.0.0.1:8000 session.mcpcap.jsonl
  {"mcpServers": {"files": {"command": "wiretea", "args": ["mock", "/path/session.mcpcap.jsonl"]}}}`,
		Args:              term.Args(1, 1, "wiretea mock FILE", "no recording given"),
		ValidArgsFunction: completeRecording,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.pace, "pace", "fast", "fast, or recorded: responses take as long as in the recording")
	f.StringVar(&o.unmatched, "on-unmatched", "error", "response to a request without a recorded response left: error, nearest or empty")
	f.BoolVar(&o.healthy, "healthy", false, "leave out the server's protocol errors")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "do not report deviations from the recording")
	f.IntVar(&o.conn, "connection", 0, "serve this connection, counted from 1 (default: one that begins as the client does)")
	f.StringVar(&o.http, "http", "", "stand in for a recorded server of HTTP at `ADDR`; port 0 is a free one")
	cmd.MarkFlagsMutuallyExclusive("http", "healthy")
	cmd.MarkFlagsMutuallyExclusive("http", "connection")
	term.Complete(cmd, "pace", "fast", "recorded")
	term.Complete(cmd, "on-unmatched", "error", "nearest", "empty")
	return cmd
}

// completeRecording completes files, of which recordings are some.
func completeRecording(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveDefault
}

func (o *mockOptions) run(cmd *cobra.Command, path string) error {
	pace, ok := paces.Get()[o.pace]
	if !ok {
		return term.Usage("it is fast or recorded", "unknown pace %q", o.pace)
	}
	policy, ok := policies.Get()[o.unmatched]
	if !ok {
		return term.Usage("it is error, nearest or empty", "unknown policy %q", o.unmatched)
	}
	errw := cmd.ErrOrStderr()
	mock := replay.Mock{Pace: pace, Unmatched: policy, Healthy: o.healthy}
	if !o.quiet {
		mock.Note = func(line string) { fmt.Fprintf(errw, "wiretea mock: %s\n", text.Visible([]byte(line), 500)) }
	}
	if o.http != "" {
		return serveMock(cmd, mock, o.http, path)
	}
	scripts, file, err := drawScripts(cmd.Context(), path, o.conn, replay.ClientEnd, errw)
	if err != nil {
		return err
	}
	defer file.Close()
	exit, err := mock.Serve(cmd.Context(), scripts, cmd.InOrStdin(), cmd.OutOrStdout(), errw)
	if err != nil {
		return err
	}
	if exit.Signal != "" {
		exit.Quit()
	}
	return term.Silently(exit.Code)
}

// serveMock serves a recording of HTTP until it is interrupted, and prints the URL.
func serveMock(cmd *cobra.Command, cfg replay.Mock, addr, path string) error {
	file, err := term.OpenRecording(path)
	if err != nil {
		return err
	}
	defer file.Close()
	var mock *replay.HTTPMock
	if err = term.Spooled(cmd.Context(), file); err == nil {
		mock, err = replay.NewHTTPMock(cfg, file)
	}
	switch {
	case errors.Is(err, replay.ErrNoHTTP):
		return term.Usage("leave --http out", "%s: %w", path, err)
	case err != nil:
		return term.RecordingFailure(path, fmt.Errorf("%s: %w", path, err))
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return term.Usage("--http 127.0.0.1:0 takes a free port", "listening: %w", err)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "http://%s%s\n", l.Addr(), mock.Path())
	return mock.Serve(cmd.Context(), l, cmd.ErrOrStderr())
}

// drawScripts opens a recording and draws its connections as one end had them; conn
// 0 means all. The file stays open for the scripts.
func drawScripts(ctx context.Context, path string, conn int, end replay.End, errw io.Writer) ([]*replay.Script, *recorder.File, error) {
	file, err := term.OpenRecording(path)
	if err != nil {
		return nil, nil, err
	}
	var scripts []*replay.Script
	if err = term.Spooled(ctx, file); err == nil {
		scripts, err = replay.ReadScripts(file, end)
	}
	if err != nil {
		file.Close()
		return nil, nil, term.RecordingFailure(path, fmt.Errorf("%s: %w", path, err))
	}
	if conn > 0 {
		var one []*replay.Script
		for _, s := range scripts {
			if s.Conn == conn {
				one = append(one, s)
			}
		}
		if len(one) == 0 {
			file.Close()
			return nil, nil, term.Usage("wiretea open FILE shows them", "the recording has no connection %d, it has %s", conn, text.Plural(int64(len(scripts)), "connection"))
		}
		scripts = one
	}
	for _, s := range scripts {
		if lacks := (&session.Totals{Gap: s.Lost, Damaged: s.Damaged, Torn: s.Torn}).Missing(); lacks != "" {
			fmt.Fprintf(errw, "wiretea: %s: connection %d: %s\n", term.Visible(path), s.Conn, lacks)
		}
	}
	return scripts, file, nil
}
