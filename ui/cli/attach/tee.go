package attach

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"wiretea/recorder/capture"
	"wiretea/session/path"
	"wiretea/session/transport"
	"wiretea/ui/cli/flags"
	"wiretea/ui/cli/term"
)

// teeOptions are the flags of tee.
type teeOptions struct {
	name      string
	noControl bool       // noControl lets nobody act on the session.
	http      flags.HTTP // http is for a URL.
	record    flags.Record
	inPath    flags.InPath
}

func NewTee() *cobra.Command {
	var o teeOptions
	cmd := &cobra.Command{
		Use:   "tee [flags] -- CMD [ARGS…] | URL",
		Short: "sit between a client and its server, and record",
		Long: `Stands in a client's configuration in place of the server. Starts the server and
forwards every byte between it and the client at once and unchanged, in both
directions and from stderr. The traffic is recorded; wiretea attach shows it live.

Nothing else is written to stdout or stderr, unless the server cannot be started, or
nothing can be recorded in the place that --record or --sessions names.
Signals are forwarded to the server, and tee exits with the server's exit code or
signal.

The -- may be left out, and must be in a configuration that the Inspector reads in its
command line mode (--cli --config), which takes the first -- for its own.

With a URL, tee speaks stdio to the client and HTTP to the server, and records both. It
takes the place of a bridge such as mcp-remote for clients that start their servers.
Requests that HTTP refuses are answered with an error.`,
		Example: `  wiretea tee -- npx -y @modelcontextprotocol/server-everything
  wiretea tee --policy policy.toml -- ./server
  wiretea tee --fault 'm:tools/call is:response: delay(5s) p=0.5 seed=7' -- ./server
  wiretea tee --login auto https://example.com/mcp
  {"mcpServers": {"files": {"command": "wiretea", "args": ["tee", "--name", "files", "--", "./server"]}}}`,
		Args: flags.Args,
		RunE: func(cmd *cobra.Command, args []string) error {
			over := path.Stdio
			if flags.IsURL(args) {
				over = path.HTTP
			}
			inPath, err := o.inPath.Read(over)
			switch {
			case err != nil:
				return err
			case flags.IsURL(args):
				return o.bridge(cmd.Context(), args, inPath)
			}
			return o.run(args, inPath)
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.StringVar(&o.name, "name", "", "name of the server, used in the names of its session files")
	// An empty name is none: a client whose settings name a variable that is not set gets its server.
	f.StringVar(&o.record.File, "record", "", "record the session to `FILE`, or to a free name beside it, or to a pipe: a FIFO, /dev/fd/3")
	f.BoolVar(&o.noControl, "no-control", false, "allow viewers to watch the session, not to send requests or hold messages")
	o.inPath.Add(cmd)
	o.inPath.AddClientTimeout(cmd)
	o.http.Add(cmd)
	o.http.AddLogin(cmd)
	o.record.AddFolder(cmd)
	return cmd
}

// bridge is tee with a URL.
func (o *teeOptions) bridge(ctx context.Context, argv []string, inPath capture.InPath) error {
	opt, err := o.http.Options(argv, transport.Grace{})
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer stop()
	bridge, err := capture.StartBridge(capture.BridgeConfig{
		Name: o.name, Server: opt, In: os.Stdin, Out: os.Stdout, Record: o.record.Record, InPath: inPath, NoControl: o.noControl,
		Notice: func(text string) { fmt.Fprintf(term.Output(os.Stderr), "wiretea: %s\n", term.Visible(text)) },
	})
	if err != nil {
		return err
	}
	err = bridge.Wait(ctx)
	o.record.Prune(io.Discard)
	return err
}

// run is the whole of tee. It returns only when the server cannot be started; else
// the process exits as the server did.
func (o *teeOptions) run(argv []string, inPath capture.InPath) error {
	tee, err := capture.StartTee(capture.TeeConfig{
		Name: o.name, Argv: argv, Record: o.record.Record, InPath: inPath, Visible: term.Visible, NoControl: o.noControl, Guard: []string{"wiretea", TeeGuard},
		Tidy: func() { o.record.Prune(io.Discard) },
		Warn: func(err error) string {
			return "wiretea: " + term.Visible(strings.ReplaceAll(capture.NotRecorded(err), "\n", "; "))
		},
	})
	if err != nil {
		return teeFailure(err)
	}
	exit := tee.Wait()
	exit.Quit()
	return nil
}

// teeFailure words why there is no server. The exit code is that of a shell.
func teeFailure(err error) error {
	if notStarted, ok := errors.AsType[*transport.StartError](err); ok {
		hint := notStarted.Hint
		if notStarted.Searched != "" {
			hint += "; " + notStarted.Searched // Clients give their servers another PATH than a shell has.
		}
		return &term.Failure{Code: notStarted.Code, Hint: hint, Err: fmt.Errorf("starting %q: %s", notStarted.Name, notStarted.Why)}
	}
	f := &term.Failure{Code: 126, Err: fmt.Errorf("starting the server: %w", err)}
	if errors.Is(err, syscall.EMFILE) {
		f.Hint = "the limit of open files is too low for a tee: see ulimit -n"
	}
	return f
}

// TeeGuard is the word under which a tee starts this program as its guard.
const TeeGuard = "tee-guard"

// GuardTee is that program. Its stderr leads nowhere, but for people who start it.
func GuardTee(args []string) int {
	code := transport.Guard(args)
	if code == term.ExitUsage {
		fmt.Fprintln(term.Output(os.Stderr), "wiretea: tee-guard is an internal command of tee")
	}
	return code
}
