package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wiretea/recorder/capture"
	"wiretea/recorder/drill"
	"wiretea/recorder/redact"
	"wiretea/recorder/verdict/report"
	"wiretea/session/decide/fault"
	"wiretea/session/transport"
	"wiretea/ui/cli/flags"
	"wiretea/ui/cli/term"
	"wiretea/ui/format"
)

// How long a request of our client, and a client program, may take. The SDKs wait 60 s for a
// response.
const (
	ownTimeout     = 10 * time.Second
	programTimeout = 75 * time.Second
)

// drillOptions are the flags of drill.
type drillOptions struct {
	client  string
	call    string
	seed    uint64
	timeout time.Duration
	format  string
	output  string
	force   bool
	ident   flags.Client
	http    flags.HTTP
	inPath  flags.InPath
}

// NewDrill returns the command drill.
func NewDrill() *cobra.Command {
	var o drillOptions
	cmd := &cobra.Command{
		Use:   "drill [flags] -- CMD [ARGS…] | URL",
		Short: "try a client and a server under one fault after another",
		Long: `Runs a client against a server, first without a fault and then under one fault after
another, and reports what each side did: the client recovered, retried, told its user
why it failed, failed without a word, hung, or crashed; the server stayed healthy, hung,
or crashed. Each trial has a client and a server process of its own. The server runs
with its real effects: a call of a tool is made once or more in every trial.

The client is wiretea, which lists the tools, calls one and sends a ping, and never
retries. The tool is that of --call, or the first that needs no arguments, one that says
it only reads before others.

--client CMD runs a client program in its place. The program reaches the server through
  {server}  in CMD: the command line of the tee in front of the server; a word of its
            own becomes several words, within a word it is quoted as for a shell
  {url}     in CMD: the URL of the proxy in front of the server, for drill URL
  $WIRETEA_SERVER and $WIRETEA_URL in its environment: the same
It has no stdin, uses the server once, and exits with 0 where it did what it was to do.
A program that runs beyond --timeout hung; one that a signal ended, or a panic of Go,
crashed; one that exits with another code told its user, if it printed anything. What it
sends more often than without a fault it retried; a tool that the server ran more often
for that is a duplicate side effect.

Without --fault and --faults there is a series of faults, mostly of tools/call, that fit
the transport. docs/faults.md describes them.

Exit code: 0 nobody hung or crashed, 1 somebody did, 2 wrong usage, 3 the server or the
client could not be started or failed without a fault, 130 ctrl-c, which reports what was
tried.`,
		Example: `  wiretea drill -- ./my-server
  wiretea drill --call 'echo={"message":"hi"}' -- npx -y @modelcontextprotocol/server-everything
  wiretea drill --fault 'm:tools/call is:response: drop n=1' -- ./my-server
  wiretea drill --client 'node client.js {server}' -- ./my-server
  wiretea drill --client 'python client.py' --timeout 30s -- ./my-server
  wiretea drill --client 'node client.js {url}' --format junit -o drill.xml http://localhost:3000/mcp`,
		Args: flags.Args,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.client, "client", "", "run this client program, `CMD`, in place of wiretea; {server} and {url} in it are where the server is")
	f.StringVar(&o.call, "call", "", "the tool that wiretea calls, `NAME[=ARGUMENTS]`")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the first fault that has none; the second has the next number")
	f.DurationVar(&o.timeout, "timeout", 0, "how long a request of wiretea, or the whole client program, may take (default 10s, or 75s for a program)")
	f.StringVar(&o.format, "format", "text", strings.Join(report.DrillFormats, ", "))
	f.StringVarP(&o.output, "output", "o", "", "write the report to this `FILE` instead of standard output")
	f.BoolVar(&o.force, "force", false, "overwrite the file of --output")
	o.inPath.AddFaults(cmd)
	o.http.Add(cmd)
	o.http.AddLogin(cmd)
	term.Complete(cmd, "format", report.DrillFormats...)
	cmd.MarkFlagsMutuallyExclusive("client", "call")
	return cmd
}

func (o *drillOptions) run(cmd *cobra.Command, args []string) error {
	d, err := o.drill(args)
	if err != nil {
		return err
	}
	if o.output != "" {
		if _, err := term.MaySave(o.output, "", o.force); err != nil {
			return err
		}
	}
	wait := term.NewWaiting(cmd.ErrOrStderr())
	defer wait.Stop()
	d.Begins = func(i int, name string) {
		if i == 0 {
			name = "without a fault"
		}
		wait.Begin(fmt.Sprintf("%d of %d: %s", i, len(d.Faults), term.Visible(name)))
	}
	got, err := d.Run(cmd.Context())
	wait.Stop()
	rep := report.Drilled{Server: flags.Place(args), Client: o.client, Seed: o.seed, Faults: len(d.Faults), Report: got}
	switch {
	case cmd.Context().Err() != nil:
		rep.Ended = "interrupted"
	case err != nil && len(got.Trials) > 0:
		rep.Ended = err.Error()
	case err != nil:
		return drillFailure(err)
	}
	rep.Texts(redact.Texts(context.WithoutCancel(cmd.Context()), nil))
	if got.Plain.Client.Verdict != "" {
		if err := o.write(cmd, &rep); err != nil {
			return err
		}
	}
	return o.outcome(cmd, &rep, err)
}

// outcome is the exit code of a drill whose report is written.
func (o *drillOptions) outcome(cmd *cobra.Command, rep *report.Drilled, err error) error {
	switch {
	case cmd.Context().Err() != nil:
		return term.Silently(term.ExitInterrupted)
	case err != nil:
		return drillFailure(err)
	case !rep.Plain.Fine():
		hint := "the client must exit with 0 where nothing is broken"
		if o.client == "" {
			hint = "--call NAME=ARGUMENTS has wiretea call another tool; wiretea check -- CMD says what is wrong with the server"
		}
		return &term.Failure{Code: term.ExitServer, Hint: hint, Err: errors.New("the trial without a fault failed, so that no fault was tried")}
	case !rep.Fine():
		return term.Silently(term.ExitFound)
	}
	return nil
}

// drillFailure says why no trial was made.
func drillFailure(err error) error {
	var unstarted *transport.StartError
	switch {
	case errors.As(err, &unstarted):
		return term.StartFailure(err)
	case errors.Is(err, drill.ErrNoServer):
		return &term.Failure{Code: term.ExitServer, Err: err, Hint: "wiretea run --plain -- CMD shows why"}
	case errors.Is(err, drill.ErrUnused):
		return &term.Failure{Code: term.ExitServer, Err: err, Hint: "use {server} or $WIRETEA_SERVER for a command, {url} or $WIRETEA_URL for a URL; see wiretea drill --help"}
	}
	return &term.Failure{Code: term.ExitServer, Err: err}
}

// write writes the report to standard output or to --output.
func (o *drillOptions) write(cmd *cobra.Command, rep *report.Drilled) error {
	if o.output == "" {
		out, colour := cmd.OutOrStdout(), false
		if o.format == "text" {
			out, colour = term.Painted(out)
		}
		return rep.Write(out, o.format, colour)
	}
	// What was found is written also after ctrl-c.
	return term.SaveFile(context.WithoutCancel(cmd.Context()), o.output, "", o.force, func(w io.Writer) error { return rep.Write(w, o.format, false) })
}

// drill is what the flags describe.
func (o *drillOptions) drill(args []string) (*drill.Drill, error) {
	if !slices.Contains(report.DrillFormats, o.format) {
		return nil, term.Usage("it is "+strings.Join(report.DrillFormats, ", "), "unknown format %q", o.format)
	}
	over := fault.Stdio
	if flags.IsURL(args) {
		over = fault.HTTP
	}
	faults, err := o.inPath.ReadFaults(over)
	if err == nil && len(faults) == 0 {
		faults, err = drill.Series(over, o.seed)
	}
	if err != nil {
		return nil, err
	}
	for i, f := range faults {
		f.Seed(o.seed + uint64(i))
	}
	d := &drill.Drill{Faults: faults, Server: args, Timeout: o.limit()}
	if d.Timeout <= 0 {
		return nil, term.Usage("as in --timeout 30s", "--timeout %s: a time must be longer than 0", o.timeout)
	}
	if over == fault.HTTP {
		if d.Proxy, err = o.proxy(args); err != nil {
			return nil, err
		}
	} else {
		self, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("finding this program: %w", err)
		}
		d.Tee = []string{self, "tee"}
	}
	if o.client != "" {
		d.Client, err = o.program()
	} else {
		d.Client, err = o.own()
	}
	return d, err
}

func (o *drillOptions) limit() time.Duration {
	switch {
	case o.timeout != 0:
		return o.timeout
	case o.client != "":
		return programTimeout
	}
	return ownTimeout
}

// proxy is the proxy in front of the URL.
func (o *drillOptions) proxy(args []string) (*capture.ProxyConfig, error) {
	opt, err := o.http.Options(args, transport.Grace{})
	if err != nil {
		return nil, err
	}
	cfg := &capture.ProxyConfig{Servers: []capture.ProxyServer{{URL: opt.URL}}, RandomPath: capture.SharedMachine()}
	cfg.Transport, err = o.http.Transport()
	return cfg, err
}

// own is wiretea as the client.
func (o *drillOptions) own() (*drill.Own, error) {
	limits, err := term.DefaultLimits()
	if err != nil {
		return nil, err
	}
	cfg, err := o.ident.Config(limits)
	if err != nil {
		return nil, err
	}
	own := &drill.Own{Config: cfg, Timeout: o.limit(), Remote: func(url string) (capture.Server, error) {
		opt, err := o.http.Options([]string{url}, transport.Grace{})
		if err != nil {
			return nil, err
		}
		opt.Proxy, opt.TLS = nil, nil // The proxy is on this machine, and has them for the server.
		return capture.NewRemote(opt)
	}}
	if o.call != "" {
		calls, err := parseCalls([]string{o.call})
		if err != nil {
			return nil, err
		}
		own.Call = calls[0]
	}
	return own, nil
}

// program is the client program of --client.
func (o *drillOptions) program() (*drill.Program, error) {
	words, err := format.SplitWords(o.client)
	if err != nil || len(words) == 0 {
		return nil, term.Usage("as in --client 'node client.js {server}'", "--client %q is not a command line", o.client)
	}
	return &drill.Program{Timeout: o.limit(), Command: func(at drill.Place) (argv, env []string) {
		line := format.CommandLine(at.Command)
		for _, word := range words {
			if word == "{server}" && at.URL == "" {
				argv = append(argv, at.Command...)
				continue
			}
			argv = append(argv, strings.NewReplacer("{server}", line, "{url}", at.URL).Replace(word))
		}
		return argv, []string{"WIRETEA_SERVER=" + line, "WIRETEA_URL=" + at.URL}
	}}, nil
}
