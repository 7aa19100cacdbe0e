package check

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wiretea/recorder/redact"
	"wiretea/recorder/verdict"
	"wiretea/recorder/verdict/report"
	"wiretea/session"
	"wiretea/ui/cli/flags"
	"wiretea/ui/cli/term"
)

// checkOptions are the flags of check.
type checkOptions struct {
	flags.Session
	json    bool // json is --format json.
	format  string
	calls   []string
	probe   bool
	maxTime time.Duration
	merged  bool // merged: the findings of all recordings are in one list.
	patient bool // patient: no timeout was given, so a package manager may take its time.
	hold    policyFlags
}

func New() *cobra.Command {
	var o checkOptions
	cmd := &cobra.Command{
		Use:   "check FILE… | check [flags] -- CMD [ARGS…] | check [flags] URL",
		Short: "report what is wrong with a recording or a server",
		Long: `Checks recordings; or starts a server, or connects to the one at a URL, makes the
handshake, lists what the server declares, makes the calls you name, ends the server
and checks that session. The first line names the most likely cause and what to
change. Exit code: 0 nothing found, 1 a warning or an error (--fail-on) or a failed
call, 2 wrong usage, 3 the server could not be started, refused the handshake or
died, 4 a timeout.`,
		Example: `  wiretea check -- ./my-server --stdio
  wiretea check --header-env X-Api-Key=KEY https://example.com/mcp
  wiretea check --era both --probe -- python -m my_server
  wiretea check --call 'echo={"message":"hi"}' --max-latency tools/call=500ms -- npx -y @modelcontextprotocol/server-everything
  wiretea check --tools-lock mcp-tools.json --format github -- node dist/index.js
  wiretea check --format json -- ./my-server > baseline.json
  wiretea check --baseline baseline.json --fail-on error -- ./my-server
  wiretea check session.mcpcap.jsonl
  wiretea check --merged weather files mail`,
		Args: term.Args(1, 0, "wiretea check FILE, or wiretea check -- CMD ARGS…", "neither a recording nor a server command given"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	o.flags(cmd)
	return cmd
}

func (o *checkOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "text", strings.Join(report.Formats(), ", "))
	f.BoolVar(&o.json, "json", false, "the same as --format json")
	f.StringArrayVar(&o.calls, "call", nil, "call a tool, `NAME[=ARGUMENTS]`; repeatable")
	f.BoolVar(&o.probe, "probe", false, "start the server twice more and probe it: an unknown method and tool, bad parameters, bad JSON, cancellation, ping, SIGTERM, SIGKILL; at a URL also: foreign Host and Origin, several clients at the same time, missing, unknown and ended sessions, versions, no credentials, a preflight of a browser")
	f.DurationVar(&o.maxTime, "max-time", 30*time.Second, "time limit for a live server; a request gets a third of it, a tool nearly all, unless --timeout is given")
	f.BoolVar(&o.merged, "merged", false, "with several recordings: their findings in one list, in the order of the clock, each with the letter of its session; as text or json")
	o.hold.add(cmd)
	o.Client.BothEras = true
	o.Client.Add(cmd, "none")
	f.Lookup("era").Usage = "handshake: auto (probe, then fall back), legacy, modern, or both, one after the other"
	o.Server.Add(cmd)
	o.Record.Add(cmd)
	term.Complete(cmd, "format", report.Formats()...)
}

// run is all of check.
func (o *checkOptions) run(cmd *cobra.Command, args []string) error {
	if o.json {
		o.format = "json"
	}
	if !slices.Contains(report.Formats(), o.format) {
		return term.Usage("it is one of "+strings.Join(report.Formats(), ", "), "unknown format %q", o.format)
	}
	rules, err := o.hold.policy()
	if err != nil {
		return err
	}
	if o.merged && !slices.Contains(report.MergedFormats(), o.format) {
		return term.Usage("it is one of "+strings.Join(report.MergedFormats(), ", "), "--merged does not go with the format %s", o.format)
	}
	at := cmd.ArgsLenAtDash()
	if at < 0 && len(args) == 1 && flags.IsURL(args) {
		at = 0
	}
	switch at {
	case -1:
		return o.files(cmd, rules, args)
	case 0:
		if o.merged {
			return term.Usage("wiretea check --merged FILE FILE…", "--merged needs recordings")
		}
		if o.maxTime <= 0 {
			return term.Usage("as in --max-time 1m", "--max-time %v leaves no time", o.maxTime)
		}
		o.Server.Argv = args
		if !cmd.Flags().Changed("timeout") {
			o.impatient()
			o.patient = true
		}
		return o.live(cmd, rules)
	}
	return term.Usage("give one or the other", "both recordings and a server command given")
}

// impatient fits the timeouts into the time there is: a third of it for what
// needs no work, and nearly all for a tool.
func (o *checkOptions) impatient() {
	l := &o.Server.Limits
	if l.Timeouts == nil {
		l.Timeouts = map[string]time.Duration{}
	}
	l.Timeouts["tools/call"] = min(l.Timeout, o.maxTime*5/6)
	l.Timeout = min(l.Timeout, o.maxTime/3)
}

// files judges recordings.
func (o *checkOptions) files(cmd *cobra.Command, rules *verdict.Policy, paths []string) error {
	if cmd.Flags().Changed("call") || cmd.Flags().Changed("probe") {
		return term.Usage("wiretea check -- CMD starts one", "--call and --probe need a server")
	}
	var reports []*report.Report
	code := term.ExitFine
	for _, path := range paths {
		f, s, err := term.Judged(cmd.Context(), path, o.limitsGiven(cmd), cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		defer f.Close()
		own, err := o.hold.lockTools(s, f, noConn, cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		v := rules.Judge(verdict.Session{Snapshot: s, Log: f, Own: own, Text: redact.Texts(cmd.Context(), f)})
		reports = append(reports, report.New(path, v))
		if v.Failed() {
			code = term.ExitFound
		}
	}
	if err := o.write(cmd.OutOrStdout(), reports...); err != nil {
		return err
	}
	return term.Silently(code)
}

// write writes reports in the format that was asked for.
func (o *checkOptions) write(w io.Writer, reports ...*report.Report) error {
	var look report.Look
	if o.format == "text" {
		w, look.Colour = term.Painted(w)
	}
	if term.IsTerminal(w) {
		if width, _ := term.TerminalSize(w); width >= minWidth {
			look.Width = width
		}
	}
	if o.merged {
		return report.WriteMerged(w, o.format, look, report.Merge(reports))
	}
	return report.Write(w, o.format, look, reports...)
}

// minWidth is the narrowest terminal that lines are broken for, in columns.
const minWidth = 40

// noConn is for sessions without connections that probe.
func noConn(int) bool { return false }

// limitsGiven are the limits that flags give, to judge a recording by;
// the zero Limits where they give none.
func (o *checkOptions) limitsGiven(cmd *cobra.Command) (l session.Limits) {
	if f := cmd.Flags(); f.Changed("timeout") {
		l.Timeout, l.Timeouts = o.Server.Limits.Timeout, o.Server.Limits.Timeouts
	}
	if o.Server.Limits.MaxLine != session.DefaultLimits().MaxLine {
		l.MaxLine = o.Server.Limits.MaxLine
	}
	if cmd.Flags().Changed("line-steps") {
		l.Lines = o.Server.Limits.Lines
	}
	return l
}

// parseCalls turns NAME={…} into parameters of tools/call.
func parseCalls(words []string) ([]json.RawMessage, error) {
	var calls []json.RawMessage
	for _, word := range words {
		name, arguments, given := strings.Cut(word, "=")
		if !given {
			arguments = "{}"
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal([]byte(arguments), &object); err != nil || name == "" || object == nil {
			return nil, term.Usage(`as in --call 'echo={"message":"hi"}'`, "--call %q is not NAME={…}", word)
		}
		quoted, err := json.Marshal(name)
		if err != nil {
			return nil, fmt.Errorf("writing the call: %w", err)
		}
		calls = append(calls, slices.Concat([]byte(`{"name":`), quoted, []byte(`,"arguments":`), []byte(arguments), []byte(`}`)))
	}
	return calls, nil
}
