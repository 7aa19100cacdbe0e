package check

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wiretea/recorder/capture"
	"wiretea/recorder/checkup"
	"wiretea/recorder/redact"
	"wiretea/session/path"
	"wiretea/session/text"
	"wiretea/ui/cli/flags"
	"wiretea/ui/cli/term"
)

// drillOptions are the flags of drill.
type drillOptions struct {
	client, call, format string
	timeout              time.Duration
	http                 flags.HTTP
	inPath               flags.InPath
}

// NewDrill returns the command drill.
func NewDrill() *cobra.Command {
	var o drillOptions
	cmd := &cobra.Command{
		Use:   "drill [flags] -- CMD [ARGS…] | URL",
		Short: "try a client and a server under one fault after another",
		Long: `Runs a client against a server, first without a fault and then under one fault after
another, and reports whether each of them survived. Without --fault and --faults every
kind of fault is tried, on a request and on a response; docs/faults.md describes them.

The client is wiretea, which lists the tools, or makes the call of --call, and then lists
the tools; or the program of --client, which uses the server once: {server} in that is the
command line of the server, and {url} its URL.

Exit code: 0 both survived everything, 1 one of them hung or crashed, 2 wrong usage, 3 the
server or the client could not be started, or hung or crashed without a fault, 130 ctrl-c.`,
		Example: `  wiretea drill -- ./my-server
  wiretea drill --call 'echo={"message":"hi"}' --fault 'm:tools/call: drop n=1' -- ./my-server
  wiretea drill --client 'node client.js {server}' -- ./my-server
  wiretea drill --client 'node client.js {url}' --format json http://localhost:3000/mcp`,
		Args: flags.Args,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.client, "client", "", "run this client program, `CMD`, in place of wiretea; {server} and {url} in it are where the server is")
	f.StringVar(&o.call, "call", "", "the tool that wiretea calls, `NAME[=ARGUMENTS]`")
	f.DurationVar(&o.timeout, "timeout", 0, "how long a request of wiretea, or the whole client program, may take (default 10s, or 75s for a program)")
	f.StringVar(&o.format, "format", "text", "text or json")
	o.inPath.AddFaults(cmd)
	o.http.AddConnection(cmd)
	term.Complete(cmd, "format", "text", "json")
	cmd.MarkFlagsMutuallyExclusive("client", "call")
	return cmd
}

func (o *drillOptions) run(cmd *cobra.Command, args []string) error {
	d, faults, err := o.drill(args)
	if err != nil {
		return err
	}
	ctx, out, hide := cmd.Context(), cmd.OutOrStdout(), redact.Texts(cmd.Context(), nil)
	var rep struct {
		Server string          `json:"server"`
		Client string          `json:"client"`
		Trials []checkup.Trial `json:"trials"` // Trials begin with the one without a fault.
	}
	rep.Server, rep.Client = hide(flags.Place(args)), hide(cmp.Or(o.client, "wiretea"))
	bad := 0
	for _, f := range append(path.Faults{nil}, faults...) {
		var t checkup.Trial
		if t, err = d.Try(ctx, f); err != nil {
			break
		}
		t.Client.Said, t.Server.Said = hide(t.Client.Said), hide(t.Server.Said)
		if rep.Trials = append(rep.Trials, t); !t.Fine() {
			bad++
		}
		if o.format == "text" {
			fmt.Fprint(out, trialText(&t))
		}
		if f == nil && bad > 0 {
			err = errors.New("a side hung or crashed without a fault: none was tried")
			break
		}
	}
	if o.format == "json" {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		err = errors.Join(err, enc.Encode(rep))
	} else if n := len(rep.Trials); n > 0 {
		fmt.Fprintf(out, "\n%d of %s tried; the client or the server hung or crashed in %d\n", n-1, text.Plural(int64(len(faults)), "fault"), bad)
	}
	switch {
	case ctx.Err() != nil:
		return term.Silently(term.ExitInterrupted)
	case err != nil:
		return &term.Failure{Code: term.ExitServer, Err: err}
	case bad > 0:
		return term.Silently(term.ExitFound)
	}
	return nil
}

// trialText is a trial in lines, safe to print.
func trialText(t *checkup.Trial) string {
	sign := "✔"
	switch {
	case !t.Fine():
		sign = "✖"
	case t.Fault != "" && !t.Applied:
		return fmt.Sprintf("· %s\n    not applied: no message met it\n", term.Visible(t.Fault))
	}
	words := fmt.Sprintf("%s %s  %s\n", sign, term.Visible(cmp.Or(t.Fault, "without a fault")), text.Duration(int64(t.Seconds*1e9)))
	for i, a := range []checkup.Acted{t.Client, t.Server} {
		words += strings.TrimSuffix("    "+[...]string{"client", "server"}[i]+" "+string(a.Verdict)+": "+text.Visible([]byte(a.Said), 300), ": ") + "\n"
	}
	return words
}

// drill is what the flags describe.
func (o *drillOptions) drill(args []string) (d *checkup.Drill, faults path.Faults, err error) {
	switch {
	case o.format != "text" && o.format != "json":
		return nil, nil, term.Usage("it is text or json", "unknown format %q", o.format)
	case o.timeout < 0:
		return nil, nil, term.Usage("as in --timeout 30s", "--timeout %s: a time must be longer than 0", o.timeout)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, nil, fmt.Errorf("finding this program: %w", err)
	}
	d = &checkup.Drill{Server: args, Tee: []string{self, "tee"}}
	over, method := path.Stdio, "tools/call"
	if flags.IsURL(args) {
		over, d.Proxy = path.HTTP, &capture.ProxyConfig{Servers: make([]capture.ProxyServer, 1), RandomPath: capture.SharedMachine()}
		if d.Proxy.Servers[0].URL, err = flags.ParseURL(args[0]); err != nil {
			return nil, nil, err
		}
		if d.Proxy.Transport, err = o.http.Transport(); err != nil {
			return nil, nil, err
		}
	}
	if o.client != "" {
		err = o.program(d)
	} else if err = o.own(d, self); o.call == "" {
		method = "tools/list"
	}
	if err != nil {
		return nil, nil, err
	}
	if faults, err = o.inPath.ReadFaults(over); err == nil && len(faults) == 0 {
		faults = series(over, method)
	}
	return d, faults, err
}

// series is every kind of fault that works over a transport, on a request and on a response of
// a method.
func series(over path.Where, method string) (all path.Faults) {
	for _, k := range path.FaultKinds() {
		argument := strings.TrimSuffix("("+k.Argument+")", "()")
		for _, side := range []string{"request", "response"} {
			f, err := path.ParseFault(fmt.Sprintf("m:%s is:%s: %s%s n=1", method, side, k.Name, argument))
			if err == nil && (path.Faults{f}).Over(over) == nil {
				all = append(all, f)
			}
		}
	}
	return all
}

// own has wiretea be the client.
func (o *drillOptions) own(d *checkup.Drill, self string) error {
	request, first := cmp.Or(o.timeout, 10*time.Second), "tools/list"
	if o.call != "" {
		calls, err := parseCalls([]string{o.call})
		if err != nil {
			return err
		}
		first = "tools/call " + string(calls[0])
	}
	d.Quiet, d.Timeout = request/2, 2*request+time.Minute
	argv := []string{self, "run", "--plain", "--no-record", "--timeout", request.String(), "--timeout", "initialize=30s", "--send", first, "--send", "tools/list", "--"}
	d.Client = func(at []string) []string { return slices.Concat(argv, at) }
	return nil
}

// program has the program of --client be it.
func (o *drillOptions) program(d *checkup.Drill) error {
	words, err := text.SplitWords(o.client)
	if err != nil || len(words) == 0 {
		return term.Usage("as in --client 'node client.js {server}'", "--client %q is not a command line", o.client)
	}
	d.Timeout = cmp.Or(o.timeout, 75*time.Second) // The SDKs wait 60 s for a response.
	d.Quiet = d.Timeout / 2
	d.Client = func(at []string) (argv []string) {
		for _, word := range words {
			if word == "{server}" {
				argv = append(argv, at...)
				continue
			}
			argv = append(argv, strings.NewReplacer("{server}", text.CommandLine(at), "{url}", at[0]).Replace(word))
		}
		return argv
	}
	return nil
}
