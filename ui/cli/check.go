package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wiretea/session/client"
)

// checkOptions are the flags of check.
type checkOptions struct {
	runOptions
	format  string
	calls   []string
	maxTime time.Duration
}

func newCheck() *cobra.Command {
	var o checkOptions
	cmd := &cobra.Command{
		Use:   "check FILE… | check [flags] -- CMD [ARGS…]",
		Short: "report what is wrong with a recording or a server",
		Long: `Judges recordings, or starts a server, shakes hands, lists what it declares,
makes the calls you name, ends it and judges that. Exit code: 0 nothing wrong,
1 an error or a warning was found or a call was answered by an error, 3 the
server could not be started or died, 4 the time was up.`,
		Example: `  wiretea check -- ./my-server --stdio
  wiretea check --call 'echo={"message":"hi"}' --format json -- npx -y @modelcontextprotocol/server-everything
  wiretea check session.mcpcap.jsonl`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("wiretea check FILE, or wiretea check -- CMD ARGS…", "neither a recording nor a server command given")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.json {
				o.format = "json"
			}
			if o.format != "text" && o.format != "json" {
				return usage("it is text or json", "unknown format %q", o.format)
			}
			switch cmd.ArgsLenAtDash() {
			case -1:
				return o.files(cmd, args)
			case 0:
				o.server.argv = args
				if !cmd.Flags().Changed("timeout") {
					o.impatient()
				}
				return o.live(cmd)
			}
			return usage("give one or the other", "both recordings and a server command given")
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "text", "text or json")
	f.BoolVar(&o.json, "json", false, "the same as --format json")
	f.StringArrayVar(&o.calls, "call", nil, "call a tool, `NAME[=ARGUMENTS]`; repeatable")
	f.DurationVar(&o.maxTime, "max-time", 30*time.Second, "when to give up on a live server; a request gets a third of it, a tool nearly all, unless --timeout says otherwise")
	o.clientFlags(cmd)
	o.server.flags(cmd)
	o.record.flags(cmd)
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// impatient fits the timeouts into the time there is: a third of it for what
// needs no work, and nearly all for a tool.
func (o *checkOptions) impatient() {
	l := &o.server.limits
	if l.Timeouts == nil {
		l.Timeouts = map[string]time.Duration{}
	}
	l.Timeouts["tools/call"] = min(l.Timeout, o.maxTime*5/6)
	l.Timeout = min(l.Timeout, o.maxTime/3)
}

// files judges recordings.
func (o *checkOptions) files(cmd *cobra.Command, paths []string) error {
	var reports []*report
	code := exitFine
	for _, path := range paths {
		s, err := judge(cmd.Context(), path, cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		reports = append(reports, newReport(path, s))
		code = max(code, findingsCode(s))
	}
	if err := o.write(cmd.OutOrStdout(), reports); err != nil {
		return err
	}
	return silently(code)
}

func (o *checkOptions) write(w io.Writer, reports []*report) error {
	if o.format == "json" {
		if len(reports) == 1 {
			return reports[0].writeJSON(w)
		}
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(reports)
	}
	for i, r := range reports {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := r.writeText(w, wantsColour(w)); err != nil {
			return err
		}
	}
	return nil
}

// live starts a server, puts it through its paces and judges the session.
func (o *checkOptions) live(cmd *cobra.Command) error {
	if err := o.server.checkEnv(); err != nil {
		return err
	}
	cfg, err := o.clientConfig()
	if err != nil {
		return err
	}
	calls, err := parseCalls(o.calls)
	if err != nil {
		return err
	}
	errw := cmd.ErrOrStderr()
	ctx, cancel := context.WithTimeoutCause(cmd.Context(), o.maxTime, errTimeUp)
	defer cancel()
	l, err := start(o.server, o.record, errw, nil)
	if err != nil {
		return err
	}
	code, err := o.exercise(ctx, l, cfg, calls, errw)
	why := "eof"
	if ctx.Err() != nil {
		why = "quit"
	}
	if fault := l.close(ctx, why); fault != nil {
		fmt.Fprintf(errw, "wiretea: %v\n", fault)
	}
	if context.Cause(ctx) == errTimeUp {
		code = exitTimeout
		err = timeUp(err, o.maxTime)
	}
	s := l.snapshot()
	if path := l.sink.Path(); path != "" {
		fmt.Fprintf(errw, "recorded: %s\n", path)
	}
	if fault := l.release(); fault != nil {
		fmt.Fprintf(errw, "wiretea: %v\n", fault)
	}
	o.record.prune(errw)
	if err := o.write(cmd.OutOrStdout(), []*report{newReport(strings.Join(o.server.argv, " "), s)}); err != nil {
		return err
	}
	if err != nil {
		var f *failure
		if errors.As(err, &f) {
			return &failure{code: max(code, f.code), hint: f.hint, err: err}
		}
		return &failure{code: max(code, exitFound), err: err}
	}
	return silently(max(code, findingsCode(s)))
}

var errTimeUp = errors.New("the time was up")

// timeUp adds to what went wrong, nil where nothing did, that the time was up.
func timeUp(err error, after time.Duration) error {
	stopped := fmt.Errorf("stopped after %v (--max-time)", after)
	if err != nil {
		stopped = fmt.Errorf("%w; %w", err, stopped)
	}
	return &failure{code: exitTimeout, hint: "a server that is slow needs more: --max-time 2m", err: stopped}
}

// exercise shakes hands, lists what is declared and makes the calls.
func (o *checkOptions) exercise(ctx context.Context, l *live, cfg client.Config, calls []json.RawMessage, errw io.Writer) (int, error) {
	c, err := l.connect(ctx, cfg)
	if err != nil {
		return exitServer, startFailure(err)
	}
	talk := &conversation{client: c, errw: errw}
	server := c.Server()
	for _, list := range declaredLists {
		if !server.Has(list.capability) {
			continue
		}
		_, err := c.List(ctx, list.method)
		var answer *client.RPCError
		// Servers with resources and no templates often have no such method.
		if err != nil && !(list.optional && errors.As(err, &answer)) && ctx.Err() == nil {
			talk.failed(list.method, err)
		}
	}
	for _, params := range calls {
		reply, err := c.Call(ctx, "tools/call", params)
		switch {
		case err != nil && ctx.Err() == nil:
			talk.failed("tools/call", err)
		case err == nil && toolFailed(reply.Result):
			talk.complain("tools/call", fmt.Errorf("the tool reports an error (isError): %.200s", reply.Result))
			talk.raise(exitFound)
		}
	}
	return talk.worst, nil
}

// toolFailed reports whether a tool's result says that it failed.
func toolFailed(result json.RawMessage) bool {
	var r struct {
		IsError bool `json:"isError"`
	}
	return json.Unmarshal(result, &r) == nil && r.IsError
}

var declaredLists = []struct {
	capability, method string
	optional           bool
}{
	{"tools", "tools/list", false},
	{"resources", "resources/list", false},
	{"resources", "resources/templates/list", true},
	{"prompts", "prompts/list", false},
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
			return nil, usage(`as in --call 'echo={"message":"hi"}'`, "--call %q is not NAME={…}", word)
		}
		quoted, err := json.Marshal(name)
		if err != nil {
			return nil, fmt.Errorf("writing the call: %w", err)
		}
		calls = append(calls, slices.Concat([]byte(`{"name":`), quoted, []byte(`,"arguments":`), []byte(arguments), []byte(`}`)))
	}
	return calls, nil
}
