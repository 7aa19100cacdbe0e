package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/mcp"
	"wiretea/session/transport"
	"wiretea/ui/cli/term"
	"wiretea/ui/format"
	"wiretea/ui/plain"
	"wiretea/ui/screen"
)

// runOptions are the flags of run.
type runOptions struct {
	server serverOptions
	record recordOptions

	era             string
	protocolVersion string
	roots           []string
	framing         string
	probeTimeout    time.Duration
	guise           guiseOptions
	human           client.Asker // human is asked where --sampling, --elicitation or --root say so; nil = nobody is there.
	desk            *screen.Desk // desk is where a screen takes the server's questions; nil = there is no screen.
	logLevel        string       // logLevel asks for log messages of that level and above; empty = as the server likes.

	watch watchOptions

	sends  []string
	pace   time.Duration // pace is how far apart sends go out, without waiting for answers; 0 = each waits for its answer.
	linger time.Duration // linger is for how long the connection stays open after the last answer.
	filter string
	plain  bool
	json   bool
	theme  string
	quiet  bool // quiet leaves out the summary's table and the place of the record.
}

func newRun() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run [flags] -- CMD [ARGS…]",
		Short: "start a server and inspect it as its client",
		Long: `Starts a server, shakes hands in the era it speaks, sends what you type and
shows everything that crosses the wire: time, direction, method, id, latency,
size, findings, stderr and the end of the process; on the full screen or, with
--plain, line by line. The session is recorded.

What you type is a method with its parameters, or a whole message:

  tools/list
  tools/call {"name":"echo","arguments":{"message":"hi"}}
  {"jsonrpc":"2.0","id":"mine","method":"ping"}`,
		Example: `  wiretea run -- npx -y @modelcontextprotocol/server-everything
  wiretea run --plain -- npx -y @modelcontextprotocol/server-everything
  wiretea run --plain --send tools/list -- ./my-server --stdio
  wiretea run --watch src --build 'go build -o server .' -- ./server
  wiretea run --watch server.py -- python server.py
  echo tools/list | wiretea run --plain --era legacy --env API_KEY=x -- python server.py`,
		Args: serverArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.server.argv = args
			if err := errors.Join(term.LimitSettings(cmd), checkLogLevel(o.logLevel)); err != nil {
				return err
			}
			if err := errors.Join(o.server.checkEnv(), o.watch.check(), o.record.checkRing()); err != nil {
				return err
			}
			if !o.plain && !o.json && !fallsBack(cmd) {
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
	o.flags(cmd)
	return cmd
}

// serverArgs wants a command behind --, which may be left out.
func serverArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return term.Usage(cmd.CommandPath()+" -- CMD ARGS…", "no server command given")
	}
	return term.Httpless(args)
}

func (o *runOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.BoolVar(&o.plain, "plain", false, "print the traffic line by line")
	themeFlag(cmd, &o.theme)
	f.BoolVar(&o.json, "json", false, "print the traffic as one JSON object a line")
	f.StringArrayVar(&o.sends, "send", nil, "send `LINE` after the handshake instead of reading standard input; repeatable, each waits for its answer")
	f.DurationVar(&o.pace, "pace", 0, "send --send lines this far apart, without waiting for answers")
	f.DurationVar(&o.linger, "linger", 0, "keep the connection open for this long after the last answer")
	f.StringVar(&o.filter, "filter", "", "show only what matches, as in 'm:tools/call lat>500ms'")
	logLevelFlag(cmd, &o.logLevel)
	o.watch.flags(cmd)
	o.clientFlags(cmd)
	o.server.flags(cmd)
	o.record.flags(cmd)
	o.record.ringFlag(cmd)
}

// clientFlags are how we behave as a client.
func (o *runOptions) clientFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.era, "era", "auto", "handshake: auto (probe, then fall back), legacy or modern")
	f.StringVar(&o.protocolVersion, "protocol-version", "", "protocol version to ask for, as in 2025-06-18; one that was never published together with --era (default: the latest of the era)")
	f.StringArrayVar(&o.roots, "root", nil, "`FOLDER` to tell a server that asks for roots; repeatable; ask = you are asked, none = not declared (default: ask on the screen, else none)")
	f.StringVar(&o.framing, "framing", "ndjson", "how we write messages: ndjson, or content-length for servers that know nothing else")
	f.DurationVar(&o.probeTimeout, "probe-timeout", client.DefaultProbeTimeout, "how long --era auto waits for the answer to its probe")
	o.guise.flags(cmd)
	_ = cmd.RegisterFlagCompletionFunc("era", completeEras)
	_ = cmd.RegisterFlagCompletionFunc("framing", cobra.FixedCompletions([]string{"ndjson", "content-length"}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("protocol-version", cobra.FixedCompletions(publishedVersions(), cobra.ShellCompDirectiveNoFileComp))
}

func publishedVersions() []string {
	var all []string
	for v := mcp.V1; v <= mcp.LatestModern; v++ {
		all = append(all, v.String())
	}
	return all
}

func (o *serverOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&o.env, "env", nil, "set `NAME=VALUE` for the server; repeatable")
	f.StringVar(&o.cwd, "cwd", "", "start the server in this `FOLDER`")
	f.DurationVar(&o.grace.EOF, "shutdown-grace", 2*time.Second, "how long the server may take to exit after its stdin was closed, and again after SIGTERM")
	term.LimitFlags(cmd, &o.limits)
}

// checkEnv refuses what is no variable.
func (o *serverOptions) checkEnv() error {
	for _, pair := range o.env {
		if key, _, ok := strings.Cut(pair, "="); !ok || key == "" {
			return term.Usage("--env NAME=VALUE", "%q is not a variable", pair)
		}
	}
	if o.grace.EOF <= 0 {
		o.grace.EOF = -1
	}
	o.grace.Term = o.grace.EOF
	return nil
}

func (o *recordOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.file, "record", "", "record the session to `FILE`; with .gz or .zst behind it, packed once it has ended")
	f.BoolVar(&o.force, "force", false, "overwrite the file of --record")
	f.BoolVar(&o.none, "no-record", false, "keep no file of the session")
	o.folderFlags(cmd)
}

// folderFlags are those about the sessions folder.
func (o *recordOptions) folderFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	o.given = f
	f.StringVar(&o.dir, "sessions", "", "record into this `FOLDER` (default ~/.local/state/wiretea/sessions)")
	o.maxAge, o.maxDisk = term.AgeFlag(recorder.DefaultPolicy.MaxAge), term.SizeFlag(recorder.DefaultPolicy.MaxBytes)
	f.Var(&o.maxAge, "max-age", "remove sessions from the folder that are older, once this one has ended; 0 = no limit")
	f.Var(&o.maxDisk, "max-disk", "remove the oldest sessions while the folder is larger; 0 = no limit")
}

// prune keeps the sessions folder within its limits once a session in it has
// ended.
func (o *recordOptions) prune(errw io.Writer) {
	if o.none || o.file != "" {
		return
	}
	dir, err := recorder.SessionsFolder(o.dir)
	if err != nil {
		return
	}
	policy := o.policy()
	removed, err := recorder.Prune(dir, policy, time.Now())
	if len(removed) > 0 {
		fmt.Fprintf(errw, "removed: %s beyond %s or %s\n", format.Plural(int64(len(removed)), "old session"), term.Days(policy.MaxAge), format.Size(policy.MaxBytes))
	}
	if err != nil {
		fmt.Fprintf(errw, "wiretea: %v\n", err)
	}
}

// policy is what the folder is kept to: what the flags say, else config.toml.
func (o *recordOptions) policy() recorder.Policy {
	p := sessionsPolicy()
	if o.given != nil && o.given.Changed("max-age") {
		p.MaxAge = time.Duration(o.maxAge)
	}
	if o.given != nil && o.given.Changed("max-disk") {
		p.MaxBytes = int64(o.maxDisk)
	}
	return p
}

// clientConfig turns the flags into a client's.
func (o *runOptions) clientConfig() (client.Config, error) {
	era, ok := client.ParseEra(o.era)
	if o.era != "" && !ok {
		return client.Config{}, term.Usage("it is auto, legacy or modern", "unknown era %q", o.era)
	}
	framing, ok := client.ParseFraming(o.framing)
	if o.framing != "" && !ok {
		return client.Config{}, term.Usage("it is ndjson or content-length", "unknown framing %q", o.framing)
	}
	if v := o.protocolVersion; v != "" && era == client.Auto && !slices.Contains(publishedVersions(), v) {
		return client.Config{}, term.Usage("published ones are "+strings.Join(publishedVersions(), ", ")+"; with --era legacy or --era modern any other is asked for, too", "unknown protocol version %q", v)
	}
	cfg := client.Config{
		Era: era, ProtocolVersion: o.protocolVersion, Name: "wiretea", Version: recorder.Version,
		Timeout: o.requestTimeout, ProbeTimeout: o.probeTimeout, Framing: framing,
	}
	if err := o.chooseRoots(&cfg); err != nil {
		return client.Config{}, err
	}
	return cfg, o.guise.apply(&cfg, o.human)
}

// chooseRoots settles how roots/list is answered: by the folders given, by a
// person, or not at all.
func (o *runOptions) chooseRoots(cfg *client.Config) error {
	asks := o.desk != nil && len(o.roots) == 0
	if len(o.roots) == 1 {
		switch o.roots[0] {
		case "none":
			return nil
		case "ask":
			if o.human == nil {
				return term.Usage("name the folders: --root FOLDER", "--root ask: there is nobody to ask")
			}
			asks = true
		}
	}
	if asks {
		cfg.AskRoots = o.human
		return nil
	}
	cfg.Roots = o.roots
	return nil
}

// askOnScreen has the server's questions put to the person at the screen, where
// no flag says otherwise. ring is called when one comes or goes.
func (o *runOptions) askOnScreen(ring func()) {
	o.desk = screen.NewDesk(ring)
	o.human = o.desk
	for _, word := range []*string{&o.guise.sampling, &o.guise.elicitation} {
		if *word == "" {
			*word = "ask"
		}
	}
}

// requestTimeout is the limit in force for a method, none for those that wait
// for people.
func (o *runOptions) requestTimeout(method string) time.Duration {
	if _, set := o.server.limits.Timeouts[method]; !set {
		if m, known := mcp.Lookup(method); known && m.Unbounded {
			return client.NoTimeout
		}
	}
	return o.server.limits.For(method)
}

// play is a whole session: start, handshake, conversation, end. It returns the
// exit code.
func (o *runOptions) play(ctx context.Context, in io.Reader, out, errw io.Writer) (int, error) {
	if o.watch.on() {
		return o.playWatched(ctx, in, out, errw)
	}
	cfg, err := o.clientConfig()
	if err != nil {
		return term.ExitUsage, err
	}
	printer, err := term.NewPrinting(out, o.filter, o.json)
	if err != nil {
		return term.ExitUsage, err
	}
	ctx, printer.Gone = context.WithCancel(ctx)
	defer printer.Gone()
	l, err := start(o.serving(), o.record, errw, printer.Moved)
	if err != nil {
		return term.ExitUsage, err
	}
	code, why, err := o.talk(ctx, l, cfg, in, errw)
	err = errors.Join(err, l.close(ctx, why), printer.Last(l.snapshot(), l.sink))
	if ctx.Err() != nil {
		code = term.ExitFine // who says stop has had what they wanted
	}
	if !o.json {
		o.finish(out, errw, l)
	}
	err = errors.Join(err, l.release())
	o.record.prune(errw)
	return max(code, findingsCode(l.snapshot())), err
}

// talk connects and converses. why is what the record's end says.
func (o *runOptions) talk(ctx context.Context, l *live, cfg client.Config, in io.Reader, errw io.Writer) (code int, why string, err error) {
	c, err := l.connect(ctx, cfg)
	if err != nil {
		if ctx.Err() != nil {
			return term.ExitFine, "quit", nil
		}
		return term.ExitServer, "error", startFailure(err)
	}
	talk := &conversation{client: c, errw: errw}
	if o.logLevel != "" {
		if err := c.SetLogLevel(ctx, o.logLevel); err != nil {
			talk.failed("logging/setLevel", err)
		}
	}
	if o.pace > 0 {
		talk.paced(ctx, o.sends, o.pace)
	} else {
		talk.each(ctx, o.sends)
	}
	if in != nil {
		talk.typed(ctx, in)
	}
	talk.idle(ctx, o.linger)
	why = "eof"
	if ctx.Err() != nil {
		why = "quit"
	}
	return talk.worst, why, nil
}

// codeNoMethod is JSON-RPC's "Method not found".
const codeNoMethod = -32601

// startFailure words why there is no connection.
func startFailure(err error) error {
	var notStarted *transport.StartError
	var late *client.TimeoutError
	var answer *client.RPCError
	switch {
	case errors.As(err, &notStarted):
		return &term.Failure{Code: term.ExitServer, Hint: notStarted.Hint, Err: fmt.Errorf("starting %q: %s", notStarted.Name, notStarted.Why)}
	case errors.As(err, &late):
		return &term.Failure{Code: term.ExitTimeout, Hint: "the server may be slow to start: --timeout initialize=5m", Err: late}
	case errors.As(err, &answer) && answer.Code == codeNoMethod:
		return &term.Failure{Code: term.ExitServer, Hint: "the server may speak the other era: --era auto tries both", Err: fmt.Errorf("connecting: %w", err)}
	case errors.Is(err, client.ErrVersion):
		return &term.Failure{Code: term.ExitServer, Hint: "--protocol-version asks for another one", Err: fmt.Errorf("connecting: %w", err)}
	case errors.Is(err, client.ErrClosed):
		return &term.Failure{Code: term.ExitServer, Hint: "the server ended, or closed its stdout, before it answered: its stderr and exit code say why", Err: fmt.Errorf("connecting: %w", err)}
	}
	return &term.Failure{Code: term.ExitServer, Err: fmt.Errorf("connecting: %w", err)}
}

func findingsCode(s *session.Snapshot) int {
	if t := s.Totals(); t.Findings[session.Error]+t.Findings[session.Warning] > 0 {
		return term.ExitFound
	}
	return term.ExitFine
}

func (o *runOptions) finish(out, errw io.Writer, l *live) {
	plain.WriteSummary(out, l.snapshot(), term.WantsColour(out), o.quiet)
	if path := l.sink.Final(); path != "" && !o.quiet {
		fmt.Fprintf(errw, "\nrecorded: %s\n", path)
	}
	l.sayLoss(errw)
}
